import type { Migration } from '#libs/database';

export const ledger: Migration = {
  name: '0003-ledger',
  sql: `
-- Ids (UUIDv7) rise in the order of an account's movements: they are taken under the account's lock.
-- What they refer to has no foreign key, as months are detached and dropped; the auditor looks (I1).
create table ledger_transfers (
  id uuid primary key,
  account_id uuid not null,
  kind text not null check (kind in ('grant', 'reserve', 'consume', 'release', 'expire', 'revoke',
    'reinstate', 'late_debit', 'debt', 'repay', 'debt_cancel', 'repay_return')),
  reference text not null,
  available_after bigint not null check (available_after >= 0),
  occurred_at timestamptz not null,
  recorded_at timestamptz not null default clock_timestamp()
) partition by range (id);
create index ledger_transfers_account on ledger_transfers (account_id, id);
-- What is news to an operator: few among the movements of leases.
create index ledger_transfers_news on ledger_transfers (account_id, occurred_at)
  where kind in ('grant', 'expire', 'revoke', 'reinstate', 'debt', 'repay', 'debt_cancel',
    'repay_return');

create table ledger_entries (
  transfer_id uuid not null,
  position smallint not null,
  account_id uuid not null,
  ledger_account text not null check (ledger_account in ('issued', 'available', 'reserved',
    'consumed', 'expired', 'revoked', 'debt', 'owed')),
  grant_id uuid not null,
  amount bigint not null check (amount <> 0),
  primary key (transfer_id, position)
) partition by range (transfer_id);
create index ledger_entries_grant on ledger_entries (grant_id, transfer_id);

-- How far an account's entries are summed up, and what those of each grant came to: the auditor reads on
-- from there, and months of the ledger can go. No foreign keys: their locks would meet those of requests.
create table account_checkpoints (
  account_id uuid primary key,
  through_id uuid not null,
  made_at timestamptz not null default clock_timestamp(),
  -- The account's used_credits of the days before this one, which no booking adds to any more.
  used_before date not null default '-infinity',
  used bigint not null default 0
) with (fillfactor = 70);
create table grant_checkpoints (
  grant_id uuid primary key,
  account_id uuid not null,
  available bigint not null,
  reserved bigint not null,
  consumed bigint not null,
  expired bigint not null,
  revoked bigint not null,
  issued bigint not null,
  debt bigint not null,
  owed bigint not null,
  constraint entries_sum_to_zero check (
    available + reserved + consumed + expired + revoked + issued + debt + owed = 0)
) with (fillfactor = 70);

create table debt_repayments (
  reversed_grant_id uuid not null references credit_grants,
  paying_grant_id uuid not null references credit_grants,
  amount bigint not null check (amount >= 0),
  primary key (reversed_grant_id, paying_grant_id)
);

-- Once a statement, as all entries of a transfer are written by one: nothing else need be read.
create function refuse_unbalanced_transfer() returns trigger language plpgsql as $$
declare
  unbalanced uuid;
begin
  select transfer_id into unbalanced from added
  group by transfer_id having sum(amount) <> 0 limit 1;
  if found then
    raise exception 'ledger transfer % does not sum to zero', unbalanced
      using errcode = 'check_violation';
  end if;
  return null;
end $$;
create trigger transfers_sum_to_zero after insert on ledger_entries
  referencing new table as added for each statement execute function refuse_unbalanced_transfer();

create function refuse_ledger_change() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is append-only' using errcode = 'restrict_violation';
end $$;
create trigger transfers_append_only before update or delete or truncate on ledger_transfers
  for each statement execute function refuse_ledger_change();
create trigger entries_append_only before update or delete or truncate on ledger_entries
  for each statement execute function refuse_ledger_change();
revoke update, delete, truncate on ledger_transfers, ledger_entries
  from entitlement, entitlement_maintenance;
select add_partitioned_table('ledger_transfers', true, interval '10 years'),
  add_partitioned_table('ledger_entries', true, interval '10 years');
alter table credit_accounts add column last_transfer_id uuid;
`,
};
