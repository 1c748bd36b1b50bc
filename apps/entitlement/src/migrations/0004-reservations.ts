import type { Migration } from '#libs/database';

export const reservations: Migration = {
  name: '0004-reservations',
  sql: `
-- Times of leases and holds are the database's own: no two machines must agree on them.
-- Slices say which grants a lease or hold took its credits from, first burned first:
-- [{grantId, amount, consumed, returned, reclaimed}], where amount = consumed + returned + what is still
-- reserved, and reclaimed is what a late debit took again of the returned.
create table leases (
  account_id uuid not null,
  -- The gateway's (UUIDv7): it counts within its account.
  lease_id uuid not null,
  gateway_id text not null,
  state text not null check (state in ('open', 'closed')),
  amount bigint not null,
  -- The holder's last word: a cumulative total.
  reported bigint not null default 0,
  -- Of it, what the ledger has, late debits and unbilled credits included.
  consumed bigint not null default 0,
  late bigint not null default 0,
  unbilled bigint not null default 0,
  slices jsonb not null,
  granted_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  posted_at timestamptz not null default clock_timestamp(),
  recalled_at timestamptz,
  closed_at timestamptz,
  -- It could not be booked: tried again by itself after this moment, an alarm until then.
  set_aside_until timestamptz,
  set_aside_count integer not null default 0,
  set_aside_reason text,
  primary key (lease_id, account_id),
  constraint use_within_amount check (0 <= consumed and consumed <= amount
    and 0 <= reported and reported <= amount)
) partition by range (lease_id);
create index leases_open_end on leases (expires_at) where state = 'open';
create index leases_open_account on leases (account_id) where state = 'open';
-- Of one account's closed leases the auditor reads the youngest.
create index leases_account on leases (account_id, lease_id);
create index leases_recalled on leases (gateway_id) where state = 'open' and recalled_at is not null;
create index leases_unbilled on leases (posted_at) where unbilled > 0;
create index leases_set_aside on leases (set_aside_until) where set_aside_until is not null;

-- Answers to an acquire that gave nothing, and closes of leases that were never given; for 5 minutes, as
-- long as a repeat of the call may be on its way.
create table refused_leases (
  account_id uuid not null,
  lease_id uuid not null,
  outcome text not null check (outcome in ('insufficient', 'elsewhere', 'closed')),
  refused_at timestamptz not null default clock_timestamp(),
  primary key (lease_id, account_id)
);
create index refused_leases_age on refused_leases (refused_at);

create table holds (
  reservation_id uuid primary key,
  account_id uuid not null references credit_accounts,
  hold_id text not null,
  kind text not null check (kind in ('job', 'request', 'tombstone')),
  state text not null check (state in ('open', 'closed')),
  amount bigint not null default 0,
  consumed bigint not null default 0,
  late bigint not null default 0,
  unbilled bigint not null default 0,
  slices jsonb not null default '[]',
  opened_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz,
  closed_at timestamptz,
  unique (account_id, hold_id),
  constraint use_within_amount check (0 <= consumed and consumed <= amount)
) with (fillfactor = 70);
create index holds_open_end on holds (expires_at) where state = 'open' and expires_at is not null;
create index holds_unbilled on holds (closed_at) where unbilled > 0;

create table hold_parts (
  reservation_id uuid not null references holds,
  part text not null,
  count bigint not null check (count >= 0),
  settled_at timestamptz not null default clock_timestamp(),
  primary key (reservation_id, part)
);

-- What is held of a grant, for the auditor.
create index holds_open_account on holds (account_id) where state = 'open';

-- When the reaper last began to wait for holders that could not reach us.
create table reaper_waits (
  singleton boolean primary key default true check (singleton),
  since timestamptz not null
);
select add_partitioned_table('leases', true, interval '90 days', 70);
`,
};
