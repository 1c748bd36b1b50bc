import type { Migration } from '#libs/database';

/** The number of parts into which the staged names are divided, by the first bits of their keys. */
const SLICES = 64;

const slices = Array.from(
  { length: SLICES },
  (_, slice) =>
    `create table staged_name_${String(slice).padStart(2, '0')} partition of staged_name for values in (${slice});`,
);

export const imports: Migration = {
  name: '0012-imports',
  sql: `
alter table source
  -- A folder of the importing process, or an address; null for what is not imported.
  add column location text,
  -- From one run to the next; null: only when somebody asks.
  add column every_ms bigint,
  add column due_at timestamptz,
  add column run_started_at timestamptz,
  add column run_ended_at timestamptz,
  add column run_problem text,
  -- A removed source keeps its number, because its data does.
  add column removed_at timestamptz;

-- A file in one version: how far it has been taken in, and what was wrong with it.
create table import_file (
  id uuid primary key,
  source_id smallint not null references source on delete cascade,
  file text not null,
  -- Other content has another version: a time and size, or an ETag.
  version text not null,
  -- SHA-256 of the unpacked content.
  digest text,
  observed_at timestamptz not null,
  state text not null check (state in ('loading', 'loaded', 'repeated', 'failed')),
  lines bigint not null default 0,
  -- Lines that have been taken in: written in the transaction that takes them in.
  position bigint not null default 0,
  -- Of the staged names, the parts that have been taken in.
  slices smallint not null default 0,
  bad_lines bigint not null default 0,
  bad_samples jsonb not null default '[]',
  new_names bigint not null default 0,
  changed_names bigint not null default 0,
  dropped_names bigint not null default 0,
  problem text,
  started_at timestamptz not null,
  finished_at timestamptz,
  unique (source_id, file, version)
) with (fillfactor = 50);
create index import_file_digest on import_file (source_id, digest);

-- Names of a long list on their way in. A part has the names whose keys begin with the same bits, so that each is
-- taken in by a transaction of its own, in the order of the index.
create table staged_name (
  slice smallint not null,
  file_id uuid not null,
  domain_key bigint not null,
  name text collate "C" not null,
  label text collate "C" not null,
  unicode text collate "C",
  skeleton text collate "C"
) partition by list (slice);
${slices.join('\n')}
`,
};
