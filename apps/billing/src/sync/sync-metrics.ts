import type { Database } from '#libs/database';
import { type Metrics, declareGauge } from '#libs/platform';

const DUE = declareGauge(
  'dds_billing_sync_objects',
  'Payments and subscriptions whose state at the processor must be fetched: due, or failing after at least one try.',
  { labels: ['processor', 'state'] },
);
const LATE = declareGauge(
  'dds_billing_sync_late_seconds',
  'How long the oldest due fetch from a processor has waited.',
  { labels: ['processor'] },
);

/** @param database the maintenance role: it sees every account's rows. */
export function addSyncMetrics(metrics: Metrics, database: Pick<Database, 'query'>): void {
  metrics.addSource({
    name: 'processor objects',
    read: async (take) => {
      for (const { processor, due, failing, late } of await database.query<SyncCounts>(COUNTS)) {
        take(DUE, due, { processor, state: 'due' });
        take(DUE, failing, { processor, state: 'failing' });
        take(LATE, late, { processor });
      }
    },
  });
}

interface SyncCounts {
  processor: string;
  due: number;
  failing: number;
  late: number;
}

const COUNTS = `
  select processor, count(*) filter (where attempts = 0)::int as due,
    count(*) filter (where attempts > 0)::int as failing,
    greatest(0, extract(epoch from clock_timestamp() - min(due_at)))::float8 as late
  from processor_objects where due_at is not null group by processor`;
