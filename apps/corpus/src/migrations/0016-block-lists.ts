import type { Migration } from '#libs/database';

export const blockLists: Migration = {
  name: '0016-block-lists',
  sql: `
-- What a block list says of its names; null for every other source.
alter table source add column category text;

-- Names of a block list on their way in: they come and go within the transaction that takes the list in.
create table staged_listing (
  file_id uuid not null,
  domain_key bigint not null,
  name text collate "C" not null,
  host text collate "C" not null
);
`,
};
