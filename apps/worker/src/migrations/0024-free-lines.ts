import type { Migration } from '#libs/database';

export const freeLines: Migration = {
  name: '0024-free-lines',
  sql: `
-- Counted before another job starts.
create index jobs_free_lines on jobs (account_id, created_at) where lines - unique_names + unsupported > charged;
`,
};
