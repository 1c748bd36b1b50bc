import type { Migration } from '#libs/database';

export const changeDetails: Migration = {
  name: '0011-change-details',
  sql: `
-- What of a name has changed: its registration or its records, with the members or types that differ.
alter table change_event
  add column subject text not null default 'name' check (subject in ('name', 'whois', 'dns')),
  add column members text[] not null default '{}',
  -- Nothing of the subject was known before.
  add column is_first boolean not null default false;
-- A reader that takes a part at a time goes on behind the last one.
drop index change_event_xid;
create index change_event_position on change_event (xid, id);

-- What must not be shown or kept, as keyed hashes: a copy of the list that is kept outside of the database.
create table suppression (
  version bigint primary key,
  kind text not null check (kind in ('domain', 'email', 'name', 'phone')),
  hash bytea not null,
  added_at timestamptz not null,
  -- When nothing of it was left; until then it is hidden.
  erased_at timestamptz,
  unique (kind, hash)
);
`,
};
