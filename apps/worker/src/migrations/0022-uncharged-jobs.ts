import type { Migration } from '#libs/database';

export const unchargedJobs: Migration = {
  name: '0022-uncharged-jobs',
  sql: `
-- Counted before another job starts.
create index jobs_uncharged on jobs (account_id, created_at) where charged = 0;
`,
};
