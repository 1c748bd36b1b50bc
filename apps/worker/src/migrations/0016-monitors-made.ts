import type { Migration } from '#libs/database';

export const monitorsMade: Migration = {
  name: '0016-monitors-made',
  sql: `
-- How many domain monitors an account made on the day of the last one, removed ones included.
create table monitors_made (
  account_id uuid primary key,
  day date not null,
  made integer not null
);
`,
};
