import type { Migration } from '#libs/database';

export const reservations: Migration = {
  name: '0004-reservations',
  sql: `
-- Times of leases and holds are the database's own: no two machines must agree on them.
create table leases (
  reservation_id uuid primary key,
  account_id uuid not null references credit_accounts,
  lease_id uuid not null,
  gateway_id text not null,
  outcome text not null check (outcome in ('granted', 'insufficient', 'elsewhere', 'closed')),
  state text not null check (state in ('open', 'closed')),
  amount bigint not null default 0,
  -- Cumulative, late debits and unbilled credits included.
  consumed bigint not null default 0,
  late bigint not null default 0,
  unbilled bigint not null default 0,
  granted_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz,
  recalled_at timestamptz,
  closed_at timestamptz,
  unique (account_id, lease_id),
  constraint use_within_amount check (0 <= consumed and consumed <= amount)
) with (fillfactor = 70);
create index leases_open_end on leases (expires_at) where state = 'open';
create index leases_open_account on leases (account_id) where state = 'open';
create index leases_recalled on leases (gateway_id) where state = 'open' and recalled_at is not null;

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
  opened_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz,
  closed_at timestamptz,
  unique (account_id, hold_id),
  constraint use_within_amount check (0 <= consumed and consumed <= amount)
) with (fillfactor = 70);
create index holds_open_end on holds (expires_at) where state = 'open' and expires_at is not null;

create table hold_parts (
  reservation_id uuid not null references holds,
  part text not null,
  count bigint not null check (count >= 0),
  settled_at timestamptz not null default clock_timestamp(),
  primary key (reservation_id, part)
);

-- Which grants a lease or hold took its credits from, first burned first.
create table reservation_slices (
  reservation_id uuid not null,
  position smallint not null,
  grant_id uuid not null references credit_grants,
  amount bigint not null check (amount > 0),
  consumed bigint not null default 0,
  returned bigint not null default 0,
  -- Of the returned credits, what a late debit took again.
  reclaimed bigint not null default 0,
  primary key (reservation_id, position),
  constraint use_within_slice check (least(consumed, returned, reclaimed) >= 0
    and consumed + returned <= amount and reclaimed <= returned)
) with (fillfactor = 70);
create index reservation_slices_open on reservation_slices (grant_id) where consumed + returned < amount;

-- When the reaper last began to wait for holders that could not reach us.
create table reaper_waits (
  singleton boolean primary key default true check (singleton),
  since timestamptz not null
);
`,
};
