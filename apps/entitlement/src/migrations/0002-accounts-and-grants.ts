import type { Migration } from '#libs/database';

export const accountsAndGrants: Migration = {
  name: '0002-accounts-and-grants',
  sql: `
-- The lock of everything an account owns here: whatever writes takes this row first.
create table credit_accounts (
  id uuid primary key,
  state text not null default 'active' check (state in ('active', 'deleted', 'erased')),
  -- Running sum of its grants' available credits, written with the ledger.
  available bigint not null default 0 check (available >= 0),
  -- The next business instant at which time alone moves credits; null when it never does.
  next_due_at timestamptz,
  -- The business instant up to which time has been applied: slices issued, expiry booked.
  advanced_to timestamptz,
  package_tier text,
  allowance_version bigint not null default 0,
  last_granted bigint not null default 0,
  low_threshold smallint check (low_threshold in (20, 0))
) with (fillfactor = 70);
create index credit_accounts_due on credit_accounts (next_due_at) where next_due_at is not null;

-- Accounts that time cannot be applied to: each is an alarm, and tried again after a while.
create table set_aside_accounts (
  account_id uuid primary key,
  since timestamptz not null default clock_timestamp(),
  until timestamptz not null,
  failures integer not null default 1,
  reason text not null
);

create table trial_claims (
  claim text primary key,
  account_id uuid not null unique references credit_accounts,
  claimed_at timestamptz not null
);

create table operator_adjustments (
  id uuid primary key,
  account_id uuid not null references credit_accounts,
  amount bigint not null check (amount > 0),
  reason text not null check (reason <> ''),
  expires_at timestamptz,
  made_at timestamptz not null
);

create index operator_adjustments_account on operator_adjustments (account_id);

create table operator_revocations (
  id uuid primary key,
  account_id uuid not null references credit_accounts,
  amount bigint not null check (amount > 0),
  -- What it took: no more than was spendable.
  revoked bigint not null check (revoked between 0 and amount),
  reason text not null check (reason <> ''),
  made_at timestamptz not null
);
create index operator_revocations_account on operator_revocations (account_id);

create table credit_grants (
  id uuid primary key,
  account_id uuid not null references credit_accounts,
  source_type text not null check (source_type in
    ('trial', 'package', 'subscription', 'release', 'operator')),
  source_id text not null,
  source_index smallint not null,
  priority smallint not null,
  granted bigint not null check (granted between 1 and 9007199254740991),
  available bigint not null,
  reserved bigint not null default 0,
  consumed bigint not null default 0,
  expired bigint not null default 0,
  revoked bigint not null default 0,
  -- Of the revoked credits, those that had expired.
  revoked_expired bigint not null default 0,
  -- Of the revoked credits, those that an operator took: no undoing gives them back.
  withdrawn bigint not null default 0,
  -- What reversals aim at, in credits: requested and final ones, and final ones alone.
  requested_target bigint not null default 0,
  reversal_target bigint not null default 0,
  -- Consumed credits whose money was taken back: still open, and paid from later grants.
  owed bigint not null default 0,
  repaid bigint not null default 0,
  tier text,
  -- The payment line that brought it, and the slice of its stretch.
  line_id uuid,
  subscription_id uuid,
  slice_start timestamptz,
  slice_end timestamptz,
  expires_at timestamptz,
  issued_at timestamptz not null,
  unique (source_type, source_id, source_index),
  constraint buckets_add_up check (granted = available + reserved + consumed + expired + revoked),
  constraint buckets_not_negative check (
    least(available, reserved, consumed, expired, revoked, owed, repaid) >= 0
    and revoked_expired between 0 and revoked and withdrawn between 0 and revoked),
  constraint targets_in_order check (0 <= reversal_target and reversal_target <= requested_target
    and requested_target <= granted),
  constraint debt_follows_reversal check (
    owed + repaid = least(consumed, greatest(0, reversal_target - revoked - reserved)))
) with (fillfactor = 70);
create index credit_grants_live on credit_grants (account_id)
  where available > 0 or reserved > 0 or owed > 0;
create index credit_grants_debt on credit_grants (owed) where owed > 0;
create index credit_grants_account on credit_grants (account_id, issued_at, id);
create index credit_grants_line on credit_grants (line_id) where line_id is not null;
create unique index credit_grants_one_trial on credit_grants (account_id) where source_type = 'trial';
`,
};
