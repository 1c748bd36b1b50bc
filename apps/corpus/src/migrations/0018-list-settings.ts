import type { Migration } from '#libs/database';

export const listSettings: Migration = {
  name: '0018-list-settings',
  sql: `
alter table source
  -- Of the names of a zone or block list, the share that may be gone from one version to the next.
  add column turnover_max real not null default 0.2,
  -- The last line of its files may lack an end.
  add column is_open_ended boolean not null default false;
`,
};
