import type { Migration } from '#libs/database';

export const ledger: Migration = {
  name: '0003-ledger',
  sql: `
-- Ids rise in the order of an account's movements: they are taken under the account's lock.
create sequence ledger_transfer_ids cache 1;

create table ledger_transfers (
  id bigint primary key,
  account_id uuid not null references credit_accounts,
  kind text not null check (kind in ('grant', 'reserve', 'consume', 'release', 'expire', 'revoke',
    'reinstate', 'late_debit', 'debt', 'repay', 'debt_cancel', 'repay_return')),
  reference text not null,
  available_after bigint not null check (available_after >= 0),
  occurred_at timestamptz not null,
  recorded_at timestamptz not null default clock_timestamp()
);
create index ledger_transfers_account on ledger_transfers (account_id, id);

create table ledger_entries (
  transfer_id bigint not null references ledger_transfers,
  position smallint not null,
  account_id uuid not null,
  ledger_account text not null check (ledger_account in ('issued', 'available', 'reserved',
    'consumed', 'expired', 'revoked', 'debt', 'owed')),
  grant_id uuid not null references credit_grants,
  amount bigint not null check (amount <> 0),
  primary key (transfer_id, position)
);
create index ledger_entries_grant on ledger_entries (grant_id);

create table debt_repayments (
  reversed_grant_id uuid not null references credit_grants,
  paying_grant_id uuid not null references credit_grants,
  amount bigint not null check (amount >= 0),
  primary key (reversed_grant_id, paying_grant_id)
);

create function refuse_unbalanced_transfer() returns trigger language plpgsql as $$
begin
  if (select sum(amount) from ledger_entries where transfer_id = new.transfer_id) <> 0 then
    raise exception 'ledger transfer % does not sum to zero', new.transfer_id
      using errcode = 'check_violation';
  end if;
  return null;
end $$;
create constraint trigger transfers_sum_to_zero after insert on ledger_entries
  deferrable initially deferred for each row execute function refuse_unbalanced_transfer();

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
`,
};
