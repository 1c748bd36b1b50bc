import type { Database } from '#libs/database';
import { type Metrics, SECOND_MS, declareGauge } from '#libs/platform';
import type { AuditJob } from '../auditor/audit.job.js';
import { INVARIANTS } from '../auditor/invariants.js';

const VIOLATIONS = declareGauge(
  'dds_entitlement_invariant_violations',
  'Rows for which an invariant did not hold in the last check; anything above 0 is an alarm.',
  { labels: ['invariant'] },
);
const CHECK_AGE = declareGauge(
  'dds_entitlement_invariants_age_seconds',
  'Time since the invariants were last checked, or since the start when they were not yet.',
);
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
export function addEntitlementMetrics(
  metrics: Metrics,
  database: Pick<Database, 'query'>,
  audit: AuditJob,
): void {
  metrics.addSource({
    name: 'invariants',
    read: (take) => {
      take(CHECK_AGE, audit.ageMs / SECOND_MS);
      for (const { id } of INVARIANTS) {
        take(VIOLATIONS, audit.violations.get(id) ?? 0, { invariant: id });
      }
    },
  });
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
  select 'lease' as kind, count(*)::int as open, coalesce(sum(amount - consumed), 0) as credits
  from leases where state = 'open'
  union all
  select 'hold', count(*)::int, coalesce(sum(amount - consumed), 0)
  from holds where state = 'open'`;
