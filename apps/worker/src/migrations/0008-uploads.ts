import type { Migration } from '#libs/database';

export const uploads: Migration = {
  name: '0008-uploads',
  sql: `
-- Files of names. Once read, their names are in name_lines, and the file is gone.
create table uploads (
  id uuid primary key,
  account_id uuid not null,
  -- Of a form: sent again it is the same upload.
  idempotency_key text,
  state text not null check (state in ('receiving', 'reading', 'ready', 'refused')),
  file_name text,
  size_bytes bigint,
  received_bytes bigint not null default 0,
  -- Keys of the files that its bytes are in, in their order.
  pieces text[] not null default '{}',
  lines integer not null default 0,
  unique_names integer not null default 0,
  invalid integer not null default 0,
  invalid_lines jsonb not null default '[]',
  -- Names by top-level domain and upstream.
  name_groups jsonb not null default '[]',
  refusal jsonb,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  unique (account_id, idempotency_key)
);
create index uploads_of_account on uploads (account_id, id desc);
create index uploads_to_expire on uploads (expires_at);

-- Who writes to an upload at the moment.
create table upload_locks (
  upload_id uuid primary key,
  holder uuid not null,
  locked_until timestamptz not null,
  is_wanted boolean not null default false
);

alter table jobs add column estimate_seconds integer not null default 0;
`,
};
