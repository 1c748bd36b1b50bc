import type { Migration } from '#libs/database';

export const jobs: Migration = {
  name: '0006-jobs',
  sql: `
-- Names as they were given, by the job or the upload they came with, until they are cut into chunks.
create table name_lines (
  list_id uuid not null,
  line integer not null,
  name text collate "C" not null,
  upstream text collate "C" not null
);
create index name_lines_of_list on name_lines (list_id);

create table jobs (
  id uuid primary key,
  account_id uuid not null,
  kind text not null check (kind in ('whois', 'dns')),
  state text not null check (state in ('validating', 'queued', 'running', 'finalizing', 'completed',
    'completed_with_errors', 'canceled', 'failed', 'expired')),
  is_canceled boolean not null default false,
  format text not null check (format in ('csv.gz', 'json.gz')),
  types text[],
  max_age_seconds integer not null,
  -- Whose lines: its own, or an upload's.
  list_id uuid not null,
  lines integer not null,
  unique_names integer not null,
  invalid integer not null,
  invalid_lines jsonb not null,
  delivered integer not null default 0,
  failed integer not null default 0,
  charged integer not null default 0,
  chunks integer not null default 0,
  open_chunks integer not null default 0,
  created_at timestamptz not null,
  deadline_at timestamptz not null,
  finished_at timestamptz,
  expires_at timestamptz,
  artifact jsonb
);
create index jobs_of_account on jobs (account_id, id desc);
create index jobs_to_expire on jobs (expires_at) where state <> 'expired' and expires_at is not null;

-- At most 1,000 names of one upstream. A done one has its answers in a file of its own, and a count that never changes.
create table job_chunks (
  job_id uuid not null references jobs on delete cascade,
  number integer not null,
  names text[] not null,
  lines integer[] not null,
  -- How often these names failed before.
  pass smallint not null default 0,
  state text not null default 'open' check (state in ('open', 'done', 'settled', 'abandoned')),
  part text,
  delivered integer not null default 0,
  failed integer not null default 0,
  charged integer not null default 0,
  primary key (job_id, number)
);
`,
};
