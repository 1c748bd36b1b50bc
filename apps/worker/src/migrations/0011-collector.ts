import type { Migration } from '#libs/database';

export const collector: Migration = {
  name: '0011-collector',
  sql: `
-- Names that are to be looked up for the corpus. What is new comes first.
create table collected_names (
  kind text not null check (kind in ('whois', 'dns')),
  name text collate "C" not null,
  rank smallint not null,
  tries smallint not null default 0,
  due_at timestamptz not null,
  primary key (kind, name)
);
create index collected_names_due on collected_names (kind, rank, due_at);
`,
};
