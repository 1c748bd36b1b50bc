import type { Migration } from '#libs/database';

export const usedCredits: Migration = {
  name: '0007-used-credits',
  sql: `
-- What an account's credits were used for. Written in the transaction that books the use, so that its sum is
-- what the ledger has as consumed by leases and holds.
create table used_credits (
  -- Of the line that the customer reads: given when the day's first use of the operation is booked.
  id uuid primary key,
  account_id uuid not null references credit_accounts,
  -- Business day (UTC) on which it was booked.
  day date not null,
  operation text not null,
  credits bigint not null check (credits > 0),
  unique (account_id, day, operation)
) with (fillfactor = 70);
create index used_credits_line on used_credits (account_id, id);

-- {operation: credits}, cumulative: the holder's last word, and what of it is in used_credits.
alter table leases
  add column reported_by jsonb not null default '{}',
  add column booked_by jsonb not null default '{}';
alter table holds add column operation text not null default 'other';

-- What a customer reads of the ledger: few among the movements of leases.
create index ledger_entries_lines on ledger_entries (account_id, transfer_id)
  where ledger_account in ('issued', 'expired', 'revoked', 'owed');
create index ledger_transfers_repay_returns on ledger_transfers (account_id, id)
  where kind = 'repay_return';
`,
};
