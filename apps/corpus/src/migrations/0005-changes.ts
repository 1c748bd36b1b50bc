import type { Migration } from '#libs/database';

export const changes: Migration = {
  name: '0005-changes',
  sql: `
-- What became of names, for whoever follows them: a partition a day, kept for 100 days. \`xid\` is the transaction,
-- by which a reader knows what it cannot have seen before.
create table change_event (
  id uuid not null,
  domain_key bigint not null,
  name text collate "C" not null,
  kind text not null check (kind in ('new', 'changed', 'dropped')),
  source_id smallint not null,
  observed_at timestamptz not null,
  xid xid8 not null default pg_current_xact_id(),
  primary key (id)
) partition by range (id);
create index change_event_xid on change_event (xid);
create index change_event_name on change_event (domain_key, name);
select add_partitioned_table('change_event', true, '100 days', 100, true);
`,
};
