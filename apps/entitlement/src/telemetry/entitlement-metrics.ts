import type { Database } from '#libs/database';
import { type Metrics, declareGauge } from '#libs/platform';

const RESERVATIONS = declareGauge(
  'dds_entitlement_open_reservations',
  'Leases and holds that are open.',
  { labels: ['kind'] },
);
const RESERVED = declareGauge(
  'dds_entitlement_reserved_credits',
  'Credits in open leases and holds that are not consumed yet.',
  { labels: ['kind'] },
);

/** @param database the maintenance role: it sees every account's reservations. */
export function addEntitlementMetrics(metrics: Metrics, database: Pick<Database, 'query'>): void {
  metrics.addSource({
    name: 'reservations',
    read: async (take) => {
      for (const { kind, open, credits } of await database.query<OpenReservations>(OPEN)) {
        take(RESERVATIONS, open, { kind });
        take(RESERVED, Number(credits), { kind });
      }
    },
  });
}

interface OpenReservations {
  kind: string;
  open: number;
  credits: string;
}

const OPEN = `
  select 'lease' as kind, count(*)::int as open, coalesce(sum(amount - reported), 0) as credits
  from leases where state = 'open'
  union all
  select 'hold', count(*)::int, coalesce(sum(amount - consumed), 0)
  from holds where state = 'open'`;
