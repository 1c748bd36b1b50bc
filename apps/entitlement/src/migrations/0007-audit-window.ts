import type { Migration } from '#libs/database';

export const auditWindow: Migration = {
  name: '0007-audit-window',
  sql: `
-- What moved since an instant, for the auditor. Rows lie in the order of their times, and a BRIN index
-- of a column that is updated costs no heap-only update.
create index ledger_transfers_recorded on ledger_transfers using brin (recorded_at)
  with (pages_per_range = 32, autosummarize = on);
create index leases_closed on leases using brin (closed_at)
  with (pages_per_range = 32, autosummarize = on);
`,
};
