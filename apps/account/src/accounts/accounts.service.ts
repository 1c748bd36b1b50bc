import { Injectable } from '@nestjs/common';
import {
  AccountDeleted,
  AccountErased,
  AccountRegistered,
  AccountRestored,
  AccountSuspensionChanged,
} from '#libs/contracts';
import {
  Database,
  type IdempotencyOptions,
  IdempotencyService,
  type Transaction,
} from '#libs/database';
import { type AggregateLock, Outbox } from '#libs/messaging';
import { Clock, DAY_MS, NotFound } from '#libs/platform';
import type { Account } from './account.entity.js';
import { AccountIsDeleted, RestoreTooLate } from './accounts.errors.js';
import { AccountsRepository } from './accounts.repository.js';

/**
 * How long a deleted account can be restored: 90 × 24 hours rather than calendar days, so that it
 * is the same in every time zone.
 */
const RESTORE_MS = 90 * DAY_MS;
const NOT_SUSPENDED = { suspendedAt: null, suspendedBecause: null };

/** Manages accounts and their states. An owner's commands run one at a time, and only while the account is active. */
@Injectable()
export class AccountsService {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountsRepository,
    private readonly idempotency: IdempotencyService,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs a command of the owner in one transaction: at most once per Idempotency-Key, and one at a time per account.
   * Locks are taken in the order account aggregate, account row, key aggregate, audit head.
   * @throws AccountIsDeleted, NotFound, IdempotencyKeyRunning, IdempotencyKeyReused.
   */
  async runCommand<T extends object>(
    accountId: string,
    options: IdempotencyOptions<T>,
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<T> {
    return this.database.transaction((transaction) =>
      this.idempotency.once(transaction, accountId, options, async () => {
        await this.lockActive(transaction, accountId);
        return work(transaction);
      }),
    );
  }

  /** Runs `work` in a transaction without the account's lock: for reads, and for commands that take their own locks. */
  async transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.database.transaction(work);
  }

  /** @throws AccountIsDeleted, NotFound. */
  async lockActive(transaction: Transaction, accountId: string): Promise<Account> {
    const account = await this.lock(transaction, accountId);
    if (account.restoreUntil) throw new AccountIsDeleted(account.restoreUntil);
    return account;
  }

  /** @throws NotFound for an unknown or erased account. */
  async lock(transaction: Transaction, accountId: string): Promise<Account> {
    const account = await this.accounts.lock(transaction, accountId);
    if (!account || account.state === 'erased') throw new NotFound();
    return account;
  }

  /** Creates an account for a confirmed address. Publishes AccountRegistered. */
  async register(transaction: Transaction, accountId: string, trialClaim: string): Promise<void> {
    const lock = await this.lockAggregate(transaction, accountId);
    await this.accounts.insert(transaction, {
      id: accountId,
      state: 'active',
      createdAt: this.clock.now(),
      deletedAt: null,
      restoreUntil: null,
      erasedAt: null,
      takenBackAt: null,
      ...NOT_SUSPENDED,
    });
    await this.outbox.add(transaction, lock, AccountRegistered, { trialClaim });
  }

  /**
   * Deletes the account and publishes AccountDeleted. @returns the time until which the account can be restored.
   * @throws AccountIsDeleted, NotFound.
   */
  async delete(transaction: Transaction, accountId: string): Promise<Date> {
    const lock = await this.lockAggregate(transaction, accountId);
    await this.lockActive(transaction, accountId);
    const deletedAt = this.clock.now();
    const restoreUntil = new Date(deletedAt.getTime() + RESTORE_MS);
    const changes: Partial<Account> = { state: 'deleted', deletedAt, restoreUntil };
    await this.accounts.update(transaction, accountId, changes);
    await this.outbox.add(transaction, lock, AccountDeleted, {
      deletedAt: deletedAt.toISOString(),
      restoreUntil: restoreUntil.toISOString(),
    });
    return restoreUntil;
  }

  /**
   * Restores a deleted account and publishes AccountRestored. @returns false if the account was not deleted.
   * @throws RestoreTooLate from the deadline on, even if the account has not been erased yet.
   */
  async restore(transaction: Transaction, accountId: string): Promise<boolean> {
    const lock = await this.lockAggregate(transaction, accountId);
    const account = await this.accounts.lock(transaction, accountId);
    // The account was erased after the session was read.
    if (!account || account.state === 'erased') throw new RestoreTooLate();
    if (!account.restoreUntil) return false;
    const now = this.clock.now();
    if (now >= account.restoreUntil) throw new RestoreTooLate();
    const changes: Partial<Account> = { state: 'active', deletedAt: null, restoreUntil: null };
    await this.accounts.update(transaction, accountId, changes);
    const restoredAt = now.toISOString();
    await this.outbox.add(transaction, lock, AccountRestored, { restoredAt });
    return true;
  }

  /**
   * Erases a deleted account and publishes AccountErased. @param isAgain whether the account was erased before the
   * database was restored; in that case, it is erased whatever its state. @returns false if the account is already
   * erased, or its erasure is not due.
   */
  async erase(transaction: Transaction, accountId: string, isAgain: boolean): Promise<boolean> {
    const lock = await this.lockAggregate(transaction, accountId);
    const account = await this.accounts.lock(transaction, accountId);
    if (!account || account.state === 'erased') return false;
    const now = this.clock.now();
    const { deletedAt, restoreUntil } = account;
    if (!isAgain && (!restoreUntil || now < restoreUntil)) return false;
    const changes: Partial<Account> = {
      state: 'erased',
      deletedAt: deletedAt ?? now,
      restoreUntil: restoreUntil ?? now,
      erasedAt: now,
      ...NOT_SUSPENDED,
    };
    await this.accounts.update(transaction, accountId, changes);
    await this.outbox.add(transaction, lock, AccountErased, { erasedAt: now.toISOString() });
    return true;
  }

  /**
   * Suspends the account, or ends the suspension if `reason` is null. An active account stays active, and a deleted
   * account stays deleted. Publishes AccountSuspensionChanged.
   * @returns false if nothing changed.
   * @throws NotFound for an unknown or erased account.
   */
  async setSuspension(
    transaction: Transaction,
    accountId: string,
    reason: string | null,
  ): Promise<boolean> {
    const aggregate = `suspension:${accountId}`;
    const lock = await this.outbox.lock(transaction, { key: accountId, aggregate });
    const account = await this.lock(transaction, accountId);
    const isSuspended = reason !== null;
    if (isSuspended === (account.suspendedAt !== null)) return false;
    const now = this.clock.now();
    const changes = isSuspended ? { suspendedAt: now, suspendedBecause: reason } : NOT_SUSPENDED;
    await this.accounts.update(transaction, accountId, changes);
    const changedAt = now.toISOString();
    await this.outbox.add(transaction, lock, AccountSuspensionChanged, { isSuspended, changedAt });
    return true;
  }

  /** Records that the owner has recovered the account with an e-mailed link. */
  async noteTakenBack(transaction: Transaction, accountId: string): Promise<void> {
    await this.accounts.update(transaction, accountId, { takenBackAt: this.clock.now() });
  }

  async find(transaction: Transaction, accountId: string): Promise<Account | null> {
    return this.accounts.find(transaction, accountId);
  }

  /** Returns an account in any state, even an erased one. @throws NotFound for an unknown account. */
  async get(transaction: Transaction, accountId: string): Promise<Account> {
    const account = await this.find(transaction, accountId);
    if (!account) throw new NotFound();
    return account;
  }

  private lockAggregate(transaction: Transaction, accountId: string): Promise<AggregateLock> {
    const aggregate = `account:${accountId}`;
    return this.outbox.lock(transaction, { key: accountId, aggregate });
  }
}
