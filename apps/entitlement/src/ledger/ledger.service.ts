import { Injectable } from '@nestjs/common';
import {
  AllowanceChanged,
  type BalanceAnswer,
  CreditsLow,
  type GrantAnswer,
} from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { Outbox } from '#libs/messaging';
import { Clock } from '#libs/platform';
import { Book } from './book.js';
import {
  hasPlenty,
  lowLevelOf,
  newLowThreshold,
  packageTierOf,
  remainingOf,
} from './credit-level.js';
import type { CreditAccount, Repayment } from './grant-book.js';
import { type Grant, byAge } from './grant.js';
import { LedgerRepository, type OpenLeases } from './ledger.repository.js';

const GRANTS_SHOWN_MAX = 200;

/** Opens accounts' books under their locks and writes their changes. */
@Injectable()
export class LedgerService {
  constructor(
    private readonly repository: LedgerRepository,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /**
   * Locks accounts in id order until the transaction ends, and creates those that do not exist. Every transaction that
   * changes accounts begins with their lock, because state that was read earlier may be outdated.
   */
  async lock(transaction: Transaction, accountIds: string[]): Promise<CreditAccount[]> {
    return this.repository.lockAccounts(transaction, [...new Set(accountIds)]);
  }

  /**
   * Locks accounts like `lock`, and reads data that the locks guard. `read` is sent directly after the lock and runs
   * once the lock is held, so both need one round trip. If an account is new, `read` is called again.
   */
  async lockAndRead<T>(
    transaction: Transaction,
    accountIds: string[],
    read: () => Promise<T>,
  ): Promise<{ accounts: CreditAccount[]; found: T }> {
    const ids = [...new Set(accountIds)];
    const [accounts, found] = await Promise.all([
      this.repository.lockKnownAccounts(transaction, ids),
      read(),
    ]);
    if (accounts.length === ids.length) return { accounts, found };
    // A new account was not locked, so the data read about it may be outdated.
    return { accounts: await this.repository.lockAccounts(transaction, ids), found: await read() };
  }

  /** Lists those grants of locked accounts that still matter: the ones with available, reserved or owed credits. */
  async listLiveGrants(transaction: Transaction, accountIds: string[]): Promise<Grant[]> {
    return this.repository.listLiveGrants(transaction, accountIds);
  }

  /** Reads grants of locked accounts by their ids. */
  async listGrantsById(
    transaction: Transaction,
    accountIds: string[],
    ids: string[],
  ): Promise<Grant[]> {
    return this.repository.listGrantsById(transaction, accountIds, ids);
  }

  async listReturned(
    transaction: Transaction,
    accountIds: readonly string[],
    endedIds: readonly string[],
  ): Promise<Grant[]> {
    return this.repository.listReturned(transaction, accountIds, endedIds);
  }

  /**
   * Creates the books of accounts from rows that were read before. Does not apply due dates.
   * @param now the time at which nothing was due; at a later time, a slice could have begun that the books lack.
   */
  booksOf(
    accounts: CreditAccount[],
    grants: Grant[],
    now: Date,
    repayments: Repayment[] = [],
  ): Book[] {
    const byAccount = Map.groupBy(grants, ({ accountId }) => accountId);
    return accounts.map((account) => {
      const own = byAccount.get(account.id) ?? [];
      const ids = new Set(own.map(({ id }) => id));
      const repaid = repayments.filter(({ reversedGrantId }) => ids.has(reversedGrantId));
      return new Book(account, own, repaid, now);
    });
  }

  /** Reads the books of accounts with every grant they ever had, in the given order. */
  async readWhole(transaction: Transaction, accounts: CreditAccount[]): Promise<Book[]> {
    const ids = accounts.map(({ id }) => id);
    const [grants, repayments] = await Promise.all([
      this.repository.listAllGrants(transaction, ids),
      this.repository.listRepayments(transaction, ids),
    ]);
    return this.booksOf(accounts, grants, this.clock.now(), repayments);
  }

  /** Reads what `balance` shows of an account, without a lock, in one round trip. */
  async readShown(
    transaction: Transaction,
    accountId: string,
  ): Promise<{ account: CreditAccount; live: Grant[]; newest: Grant[]; leased: OpenLeases }> {
    const [account, live, newest, leased] = await Promise.all([
      this.readAccount(transaction, accountId),
      this.repository.listLiveGrants(transaction, [accountId]),
      this.repository.listNewestGrants(transaction, accountId, GRANTS_SHOWN_MAX),
      this.repository.sumOpenLeases(transaction, accountId),
    ]);
    return { account, live, newest, leased };
  }

  /** Reads an account for display, without a lock. Returns a new account if it does not exist. */
  async readAccount(transaction: Transaction, accountId: string): Promise<CreditAccount> {
    const account = await this.repository.findAccount(transaction, accountId);
    return account ?? newAccount(accountId);
  }

  /** Repays open debt, writes the books that have changed, and adds the events that their changes cause. */
  async save(transaction: Transaction, books: Book[]): Promise<void> {
    for (const book of books) book.repayDebts();
    const low = books.flatMap((book) => this.lowered(book));
    for (const book of books) this.noteFollowUps(book);
    const written = books.filter((book) => book.isDirty);
    if (written.length === 0) return;
    // A slice may begin while its account is being changed. It is issued later, and the auditor must not expect it yet.
    const advancedTo = new Date(Math.min(...written.map(({ now }) => now.getTime())));
    await this.repository.post(transaction, written, advancedTo);
    for (const { account } of books.filter((book) => book.allowanceChanged)) {
      await this.publishAllowanceChanged(transaction, account);
    }
    for (const { accountId, threshold, remaining } of low) {
      const lock = await this.outbox.lock(transaction, {
        key: accountId,
        aggregate: `credits:${accountId}`,
      });
      await this.outbox.add(transaction, lock, CreditsLow, { threshold, remaining });
    }
  }

  /** Sums the credits that an account's open leases have reported as used but that the ledger still has as reserved. */
  async sumUnbooked(transaction: Transaction, accountId: string): Promise<number> {
    return (await this.repository.sumOpenLeases(transaction, accountId)).unbooked;
  }

  /**
   * Returns the balance of an account. @param shown.newest the grants to show; by default, the newest grants in the
   * book, which must then contain every grant.
   */
  balance(
    book: Book,
    shown: { newest?: Grant[]; leased: OpenLeases; lines: readonly GrantLine[] },
  ): BalanceAnswer {
    const { newest: grants = newestOf(book), leased, lines } = shown;
    const isFrozen = book.account.state !== 'active';
    const frozen = isFrozen ? book.all.reduce((sum, { available }) => sum + available, 0) : 0;
    return {
      spendable: book.spendable,
      // Credits that leases have used but that are not booked yet are pending, not reserved.
      reserved: book.reserved - leased.unbooked,
      recallable: leased.unused,
      pending: leased.unbooked,
      frozen,
      debt: book.all.reduce((sum, { owed }) => sum + owed, 0),
      low_at: lowLevelOf(book),
      grants: grants.map((grant) => shownGrant(grant, lines)),
    };
  }

  private lowered(book: Book) {
    // After a failed refund, the credits are there again and can run out again.
    if (hasPlenty(book)) book.account.lowThreshold = undefined;
    const threshold = newLowThreshold(book);
    if (threshold === undefined) return [];
    book.account.lowThreshold = threshold;
    const remaining = String(remainingOf(book));
    return [{ accountId: book.account.id, threshold, remaining }];
  }

  private noteFollowUps(book: Book): void {
    const { account } = book;
    const packageTier = packageTierOf(book);
    if (packageTier !== account.packageTier) {
      account.packageTier = packageTier;
      book.changeAllowance();
    }
    for (const { available, expiresAt } of book.all) {
      if (available > 0 && expiresAt) book.noteDue(expiresAt);
    }
  }

  private async publishAllowanceChanged(
    transaction: Transaction,
    account: CreditAccount,
  ): Promise<void> {
    const lock = await this.outbox.lock(transaction, {
      key: account.id,
      aggregate: `allowance:${account.id}`,
    });
    const version = String(account.allowanceVersion);
    await this.outbox.add(transaction, lock, AllowanceChanged, { version });
  }
}

/**
 * Returns the grants that `listNewestGrants` would return: those with credits left first, then the
 * newest first.
 */
function newestOf(book: Book): Grant[] {
  const isLive = ({ available, reserved }: Grant) => available > 0 || reserved > 0;
  const newest = book.all.toSorted((a, b) => byAge(b, a));
  const [live, spent] = [newest.filter(isLive), newest.filter((grant) => !isLive(grant))];
  return [...live, ...spent].slice(0, GRANTS_SHOWN_MAX);
}

function newAccount(id: string): CreditAccount {
  return { id, state: 'active', available: 0, allowanceVersion: 0, lastGranted: 0 };
}

export interface GrantLine {
  id: string;
  orderId: string | null;
  sku: string;
}

function shownGrant(grant: Grant, lines: readonly GrantLine[]): GrantAnswer {
  const line = lines.find(({ id: lineId }) => lineId === grant.lineId);
  const { id, sourceType, granted, available, reserved, consumed, expired, revoked } = grant;
  return {
    id,
    source_type: sourceType,
    granted,
    available,
    reserved,
    consumed,
    expired,
    revoked,
    expires_at: grant.expiresAt?.toISOString() ?? null,
    tier: grant.tier ?? null,
    order_id: line?.orderId ?? null,
    sku: line?.sku ?? null,
    granted_at: grant.issuedAt.toISOString(),
  };
}
