import type { Migration } from '#libs/database';

export const nameSources: Migration = {
  name: '0021-name-sources',
  sql: `
-- Sources that listed a name whose row belongs to another source: when one is removed, its names go to them.
create table name_source (
  domain_key bigint not null,
  name text collate "C" not null,
  source_id smallint not null,
  -- The first time that it was noted here.
  first_seen timestamptz not null,
  primary key (domain_key, name, source_id)
);
-- When the names of a removed source had gone to the other sources that know them; null until then.
alter table source add column handed_over_at timestamptz;
`,
};
