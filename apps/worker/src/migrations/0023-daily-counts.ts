import type { Migration } from '#libs/database';

export const dailyCounts: Migration = {
  name: '0023-daily-counts',
  sql: `
-- How often an account has begun something on the day of the last time, removed things included.
create table daily_counts (
  account_id uuid not null,
  subject text not null,
  day date not null,
  count integer not null,
  primary key (account_id, subject)
);
`,
};
