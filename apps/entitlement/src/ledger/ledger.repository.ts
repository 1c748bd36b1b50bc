import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import type { CreditAccount, GrantBook, Repayment } from './grant-book.js';
import type { Grant } from './grant.js';
import { IS_REVIVED } from './revived-grants.js';
import { type AccountRow, type GrantRow, toAccount, toGrant, toPosting } from './posting-rows.js';

/** Credits of an account's open leases: used ones that the ledger still has as reserved, and unused ones. */
export interface OpenLeases {
  unbooked: number;
  unused: number;
}

@Injectable()
export class LedgerRepository {
  /** Locks accounts in id order. Accounts that do not exist are created. */
  async lockAccounts(transaction: Transaction, ids: string[]): Promise<CreditAccount[]> {
    const known = await this.lockKnownAccounts(transaction, ids);
    if (known.length === ids.length) return known;
    await transaction.query(
      'insert into credit_accounts (id) select unnest($1::uuid[]) order by 1 on conflict do nothing',
      [ids],
    );
    return this.lockKnownAccounts(transaction, ids);
  }

  /** Locks accounts in id order. Accounts that do not exist are missing from the result. */
  async lockKnownAccounts(
    transaction: Transaction,
    accountIds: string[],
  ): Promise<CreditAccount[]> {
    return (await transaction.query<AccountRow>(LOCK_ACCOUNTS, [accountIds])).map(toAccount);
  }

  /** Lists grants with available, reserved or owed credits, through a partial index. */
  async listLiveGrants(transaction: Transaction, accountIds: string[]): Promise<Grant[]> {
    const rows = await transaction.query<GrantRow>(
      `select * from credit_grants
       where account_id = any($1) and (available > 0 or reserved > 0 or owed > 0)`,
      [accountIds],
    );
    return rows.map(toGrant);
  }

  async listGrantsById(
    transaction: Transaction,
    accountIds: string[],
    ids: string[],
  ): Promise<Grant[]> {
    const rows = await transaction.query<GrantRow>(
      'select * from credit_grants where id = any($1) and account_id = any($2)',
      [ids, accountIds],
    );
    return rows.map(toGrant);
  }

  /**
   * Lists the grants that received credits returned to these grants, and recursively those that received credits
   * returned to the listed grants. Those of the given grants that received returned credits are listed too.
   */
  async listReturned(
    transaction: Transaction,
    accountIds: readonly string[],
    endedIds: readonly string[],
  ): Promise<Grant[]> {
    const rows = await transaction.query<GrantRow>(
      `with recursive revived as (
         select id from credit_grants where id = any($1) and account_id = any($2)
         union
         select r.id from revived join credit_grants ended using (id)
           join credit_grants r on ${IS_REVIVED('r', 'ended')})
       select g.* from revived join credit_grants g using (id) where g.source_type = 'release'`,
      [endedIds, accountIds],
    );
    return rows.map(toGrant);
  }

  /** Lists every grant of these accounts, because reversals and due dates may affect any of them. */
  async listAllGrants(transaction: Transaction, accountIds: string[]): Promise<Grant[]> {
    const rows = await transaction.query<GrantRow>(
      'select * from credit_grants where account_id = any($1)',
      [accountIds],
    );
    return rows.map(toGrant);
  }

  async listRepayments(transaction: Transaction, accountIds: string[]): Promise<Repayment[]> {
    const rows = await transaction.query<Record<string, string>>(
      `select r.* from debt_repayments r join credit_grants g on g.id = r.reversed_grant_id
       where g.account_id = any($1)`,
      [accountIds],
    );
    return rows.map((row) => ({
      reversedGrantId: row.reversed_grant_id,
      payingGrantId: row.paying_grant_id,
      amount: Number(row.amount),
    }));
  }

  /**
   * Writes the books in one statement: grants, transfers, entries, repayments and accounts. The accounts must be
   * locked. Checks and a trigger reject unbalanced books.
   * @param advancedTo the time up to which due dates have been applied to the accounts.
   */
  async post(transaction: Transaction, books: GrantBook[], advancedTo: Date): Promise<void> {
    const posting = toPosting(books);
    const [{ moved }] = await transaction.query<{ moved: number }>(POST, [
      JSON.stringify(posting),
      advancedTo,
    ]);
    if (moved !== posting.moves.length)
      throw new Error('a grant disappeared although it was locked');
  }

  /** Reads the current state of an account without a lock; undefined if it does not exist. */
  async findAccount(
    transaction: Transaction,
    accountId: string,
  ): Promise<CreditAccount | undefined> {
    const [row] = await transaction.query<AccountRow>(
      'select * from credit_accounts where id = $1',
      [accountId],
    );
    return row && toAccount(row);
  }

  async sumOpenLeases(transaction: Transaction, accountId: string): Promise<OpenLeases> {
    const [{ unbooked, unused }] = await transaction.query<{ unbooked: string; unused: string }>(
      `select coalesce(sum(reported - consumed), 0) as unbooked,
         coalesce(sum(amount - reported), 0) as unused
       from leases where account_id = $1 and state = 'open'`,
      [accountId],
    );
    return { unbooked: Number(unbooked), unused: Number(unused) };
  }

  /** Lists up to `limit` grants: those with credits left first, then the newest ones. */
  async listNewestGrants(
    transaction: Transaction,
    accountId: string,
    limit: number,
  ): Promise<Grant[]> {
    const rows = await transaction.query<GrantRow>(
      `select * from credit_grants where account_id = $1
       order by (available > 0 or reserved > 0) desc, issued_at desc, id desc limit $2`,
      [accountId, limit],
    );
    return rows.map(toGrant);
  }
}

const LOCK_ACCOUNTS = `
  select * from credit_accounts where id = any($1::uuid[]) order by id for update`;

const POST = `
  with moves as (
    select * from jsonb_to_recordset($1::jsonb->'moves') as m(id uuid, available bigint,
      reserved bigint, consumed bigint, expired bigint, revoked bigint, owed bigint, repaid bigint,
      granted bigint, revoked_expired bigint, withdrawn bigint, requested_target bigint, reversal_target bigint,
      expires_at timestamptz)),
  moved as (
    update credit_grants g set
      available = g.available + m.available, reserved = g.reserved + m.reserved,
      consumed = g.consumed + m.consumed, expired = g.expired + m.expired,
      revoked = g.revoked + m.revoked, owed = g.owed + m.owed, repaid = g.repaid + m.repaid,
      granted = m.granted, revoked_expired = m.revoked_expired, withdrawn = m.withdrawn,
      requested_target = m.requested_target, reversal_target = m.reversal_target,
      expires_at = m.expires_at
    from moves m where g.id = m.id
    returning g.id),
  issued as (
    insert into credit_grants (id, account_id, source_type, source_id, source_index, priority,
      granted, available, reserved, consumed, expired, revoked, owed, repaid, revoked_expired,
      withdrawn, requested_target, reversal_target, tier, line_id, subscription_id, slice_start, slice_end,
      expires_at, issued_at)
    select id, account_id, source_type, source_id, source_index, priority,
      granted, available, reserved, consumed, expired, revoked, owed, repaid, revoked_expired,
      withdrawn, requested_target, reversal_target, tier, line_id, subscription_id, slice_start, slice_end,
      expires_at, issued_at
    from jsonb_populate_recordset(null::credit_grants, $1::jsonb->'issued')),
  transfers as (
    insert into ledger_transfers (id, account_id, kind, reference, available_after, occurred_at)
    select * from jsonb_to_recordset($1::jsonb->'transfers') as t(id uuid, account_id uuid,
      kind text, reference text, available_after bigint, occurred_at timestamptz)),
  entries as (
    insert into ledger_entries (transfer_id, position, account_id, ledger_account, grant_id, amount)
    select * from jsonb_to_recordset($1::jsonb->'entries') as e(transfer_id uuid, position smallint,
      account_id uuid, ledger_account text, grant_id uuid, amount bigint)),
  repayments as (
    select * from jsonb_to_recordset($1::jsonb->'repayments') as n(reversed_grant_id uuid,
      paying_grant_id uuid, amount bigint)),
  repaid_more as (
    update debt_repayments r set amount = r.amount + n.amount from repayments n
    where (r.reversed_grant_id, r.paying_grant_id) = (n.reversed_grant_id, n.paying_grant_id)),
  repaid as (
    insert into debt_repayments (reversed_grant_id, paying_grant_id, amount)
    select * from repayments n where not exists (
      select from debt_repayments r where
        (r.reversed_grant_id, r.paying_grant_id) = (n.reversed_grant_id, n.paying_grant_id))),
  accounts as (
    update credit_accounts c set state = a.state, available = a.available,
      next_due_at = a.next_due_at, advanced_to = greatest(c.advanced_to, $2),
      package_tier = a.package_tier, allowance_version = a.allowance_version,
      last_granted = a.last_granted, low_threshold = a.low_threshold,
      last_transfer_id = a.last_transfer_id
    from jsonb_to_recordset($1::jsonb->'accounts') as a(id uuid, state text, available bigint,
      next_due_at timestamptz, package_tier text, allowance_version bigint, last_granted bigint,
      low_threshold smallint, last_transfer_id uuid) where c.id = a.id)
  select (select count(*) from moved)::int as moved`;
