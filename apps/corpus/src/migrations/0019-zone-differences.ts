import type { Migration } from '#libs/database';

export const zoneDifferences: Migration = {
  name: '0019-zone-differences',
  sql: `
alter table import_file
  -- What a zone file lists, and whether only its difference from the one before was taken in.
  add column zone text,
  add column is_difference boolean not null default false;
-- Of a difference: what the list does not have any more.
alter table staged_name add column is_gone boolean not null default false;
`,
};
