import { type Metrics, SECOND_MS, declareGauge } from '#libs/platform';
import type { AuditJob } from './audit-job.js';

const VIOLATIONS = declareGauge(
  'dds_invariant_violations',
  'Rows for which an invariant of a service did not hold in the last check; anything above 0 is an alarm.',
  { labels: ['service', 'invariant'] },
);
const CHECK_AGE = declareGauge(
  'dds_invariants_age_seconds',
  'Time since the invariants of a service were last checked, or since the start if they have not been checked yet.',
  { labels: ['service'] },
);

/** Registers metrics for the findings of a service's auditor and the time of its last check. */
export function addInvariantMetrics(metrics: Metrics, service: string, audit: AuditJob): void {
  metrics.addSource({
    name: 'invariants',
    read: (take) => {
      take(CHECK_AGE, audit.ageMs / SECOND_MS, { service });
      for (const { id } of audit.set.invariants) {
        take(VIOLATIONS, audit.violations.get(id) ?? 0, { service, invariant: id });
      }
    },
  });
}
