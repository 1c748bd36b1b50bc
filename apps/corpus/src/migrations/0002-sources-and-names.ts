import type { Migration } from '#libs/database';

export const sourcesAndNames: Migration = {
  name: '0002-sources-and-names',
  sql: `
-- Where data comes from, and what may be done with it.
create table source (
  id smallint primary key,
  name text not null unique,
  kind text not null,
  -- The three rights: to be shown in answers, sold in files, used to look names up.
  is_shown boolean not null,
  is_sold boolean not null,
  is_looked_up boolean not null,
  is_generated boolean not null default false,
  created_at timestamptz not null
);
insert into source (id, name, kind, is_shown, is_sold, is_looked_up, created_at)
values (1, 'lookups', 'lookups', true, false, true, clock_timestamp());

-- What was taken in together. A batch that listed everything its source holds under \`scope\` confirms all names
-- of the source there that have not been dropped: their rows are not touched.
create table source_batch (
  id uuid primary key,
  source_id smallint not null references source,
  scope text,
  is_complete boolean not null default false,
  observed_at timestamptz not null,
  loaded_at timestamptz not null,
  rows bigint not null default 0,
  bad_rows bigint not null default 0,
  new_names bigint not null default 0,
  changed_names bigint not null default 0
);
create index source_batch_newest on source_batch (source_id, scope, observed_at desc);

-- How many names are known under each top-level domain.
create table tld_names (
  tld text collate "C" primary key,
  names bigint not null
) with (fillfactor = 50);

-- Registrable names. \`domain_key\` is a hash of the name made in Node; two names may share one. It leads every key,
-- because rows are spread and pages ordered by it.
create table domain (
  domain_key bigint not null,
  name text collate "C" not null,
  -- The label below the public suffix; letters beyond ASCII as uXXXX, since trigrams of "C" leave them out.
  label text collate "C" not null,
  -- The same label in its own script, and what it looks like in Latin letters; null for a label in ASCII.
  unicode text collate "C",
  skeleton text collate "C",
  source_id smallint not null,
  -- The source whose newest complete batch confirms the name.
  listed_by smallint,
  first_seen timestamptz not null,
  dropped_at timestamptz,
  primary key (domain_key, name)
);
create index domain_first_seen on domain using brin (first_seen);
create index domain_skeleton on domain (skeleton, domain_key, name) where skeleton is not null;
`,
};
