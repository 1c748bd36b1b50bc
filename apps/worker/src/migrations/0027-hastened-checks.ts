import type { Migration } from '#libs/database';

export const hastenedChecks: Migration = {
  name: '0027-hastened-checks',
  sql: `
-- When a check that was brought forward is due if no monitor pays for it any more; null: at dns_due_at, in any case.
alter table watched_names add column dns_regular_at timestamptz;
`,
};
