import type { Database } from '#libs/database';
import { type Metrics, declareGauge } from '#libs/platform';

const ITEMS = declareGauge(
  'dds_work_items',
  'Work items by queue and state: waiting, claimed by a process, or dead (the page of the alert DeadWork says how to repeat it).',
  { labels: ['queue', 'state'] },
);
const LATE = declareGauge(
  'dds_work_late_seconds',
  'How long the oldest due item of a queue has been due.',
  { labels: ['queue'] },
);

/**
 * Registers the metrics. @param database the database of the service's maintenance role, in a schema with `workTable`.
 */
export function addWorkMetrics(metrics: Metrics, database: Pick<Database, 'query'>): void {
  metrics.addSource({
    name: 'work queues',
    read: async (take) => {
      for (const { queue, waiting, claimed, dead, late } of await database.query<QueueCounts>(
        COUNTS,
      )) {
        take(ITEMS, waiting, { queue, state: 'waiting' });
        take(ITEMS, claimed, { queue, state: 'claimed' });
        take(ITEMS, dead, { queue, state: 'dead' });
        take(LATE, late, { queue });
      }
    },
  });
}

interface QueueCounts {
  queue: string;
  waiting: number;
  claimed: number;
  dead: number;
  late: number;
}

const COUNTS = `
  select queue, count(*) filter (where state in ('ready', 'waiting'))::int as waiting,
    count(*) filter (where state = 'claimed')::int as claimed,
    count(*) filter (where state = 'dead')::int as dead,
    greatest(0, coalesce(extract(epoch from clock_timestamp()
      - min(until) filter (where state <> 'dead')), 0))::float8 as late
  from work group by queue`;
