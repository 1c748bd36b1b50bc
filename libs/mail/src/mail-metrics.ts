import type { Database } from '#libs/database';
import { type Metrics, declareGauge } from '#libs/platform';

const UNSENT = declareGauge(
  'dds_mail_unsent',
  'Unsent e-mails: waiting for the first attempt, failing (to be retried) or dead (given up).',
  { labels: ['state'] },
);
const OLDEST = declareGauge(
  'dds_mail_oldest_seconds',
  'Age of the oldest e-mail that has not been sent yet.',
);

/** Registers the metrics. @param database the sending role, which can read every account's e-mail. */
export function addMailMetrics(metrics: Metrics, database: Pick<Database, 'query'>): void {
  metrics.addSource({
    name: 'mail',
    read: async (take) => {
      const [row] = await database.query<Record<string, number>>(COUNTS);
      for (const state of ['waiting', 'failing', 'dead']) take(UNSENT, row[state], { state });
      take(OLDEST, row.oldest);
    },
  });
}

const COUNTS = `
  select count(*) filter (where state = 'waiting' and reason is null)::int as waiting,
    count(*) filter (where state = 'waiting' and reason is not null)::int as failing,
    count(*) filter (where state = 'dead')::int as dead,
    greatest(0, coalesce(extract(epoch from clock_timestamp()
      - min(created_at) filter (where state = 'waiting')), 0))::float8 as oldest
  from mail`;
