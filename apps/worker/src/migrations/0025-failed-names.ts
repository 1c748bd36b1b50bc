import type { Migration } from '#libs/database';

export const failedNames: Migration = {
  name: '0025-failed-names',
  sql: `
-- Counted before another job starts.
create index jobs_failed on jobs (account_id, created_at) where failed > charged;
`,
};
