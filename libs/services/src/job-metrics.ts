import { type MaintenanceDatabase, jobLateness } from '#libs/database';
import { type Metrics, declareGauge } from '#libs/platform';

const LATE = declareGauge(
  'dds_job_late_seconds',
  'How long a periodic job has been due without a successful run; 0 while it is on time, or while a long run follows a successful one.',
  { labels: ['service', 'job'] },
);

/** Registers the metric that shows how late each of `jobs` is. They run once per interval in the whole installation. */
export function addJobMetrics(
  metrics: Metrics,
  service: string,
  { database, jobs }: { database: MaintenanceDatabase; jobs: { job: string; everyMs: number }[] },
): void {
  metrics.addSource({
    name: 'periodic jobs',
    read: async (take) => {
      for (const { job, late } of await jobLateness(database, jobs)) {
        take(LATE, late, { service, job });
      }
    },
  });
}
