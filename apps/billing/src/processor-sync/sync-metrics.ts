import type { Database } from '#libs/database';
import { type Metrics, declareGauge } from '#libs/platform';

const DUE = declareGauge(
  'dds_billing_sync_objects',
  'Payments, subscriptions and other objects whose state at the processor must be fetched: due, or failing after at least one try.',
  { labels: ['processor', 'state'] },
);
const LATE = declareGauge(
  'dds_billing_sync_late_seconds',
  'How long the oldest due fetch from a processor has waited.',
  { labels: ['processor'] },
);

/** @param database connects as the maintenance role, which sees every account's rows. */
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
  with objects as (
    -- The attempt in progress has not failed.
    select payload ->> 'processor' as processor, until,
      tries > (state = 'claimed')::int as is_failing,
      -- A fetch may wait for the start of a period.
      state = 'waiting' and until > clock_timestamp() as is_later
    from work where queue = 'processor-objects')
  select processor, count(*) filter (where not is_failing and not is_later)::int as due,
    count(*) filter (where is_failing)::int as failing,
    greatest(0, extract(epoch from clock_timestamp() - min(until)))::float8 as late
  from objects group by processor`;
