import type { Database } from '#libs/database';
import { type Metrics, declareGauge } from '#libs/platform';

const RESERVATIONS = declareGauge('dds_entitlement_open_reservations', 'Open leases and holds.', {
  labels: ['kind'],
});
const RESERVED = declareGauge(
  'dds_entitlement_reserved_credits',
  'Credits in open leases and holds that have not been consumed yet.',
  { labels: ['kind'] },
);
const UNBILLED = declareGauge(
  'dds_entitlement_unbilled_credits',
  'Credits of answers delivered within the last 24 hours that could not be charged.',
);
const DEBT = declareGauge(
  'dds_entitlement_debt_credits',
  'Used credits whose payment was later reversed, and that no bought credits have repaid.',
);
const SET_ASIDE = declareGauge(
  'dds_entitlement_set_aside',
  'Leases that cannot be settled, and accounts whose due dates cannot be applied. Both are retried automatically.',
  { labels: ['kind'] },
);

/** @param database the maintenance role, which can read every account's rows. */
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
  metrics.addSource({
    name: 'unpaid credits',
    read: async (take) => {
      const [row] = await database.query<Record<string, string>>(UNPAID);
      take(UNBILLED, Number(row.unbilled));
      take(DEBT, Number(row.debt));
      take(SET_ASIDE, Number(row.leases), { kind: 'lease' });
      take(SET_ASIDE, Number(row.accounts), { kind: 'account' });
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

// The counted rows are rare, so each part of the query reads only a partial index.
const UNPAID = `
  select
    (select coalesce(sum(unbilled), 0) from leases
      where unbilled > 0 and posted_at > clock_timestamp() - interval '24 hours')
    + (select coalesce(sum(unbilled), 0) from holds
      where unbilled > 0 and closed_at > clock_timestamp() - interval '24 hours') as unbilled,
    (select coalesce(sum(owed), 0) from credit_grants where owed > 0) as debt,
    (select count(*) from leases where set_aside_until is not null) as leases,
    (select count(*) from set_aside_accounts) as accounts`;
