import { Inject, Injectable } from '@nestjs/common';
import { Database, type Transaction } from '#libs/database';
import { NotFound } from '#libs/platform';
import { IdempotencyService, type Once } from '../idempotency/idempotency.service.js';
import type { Account } from './account.entity.js';
import { AccountIsDeleted } from './accounts.errors.js';
import { AccountsRepository } from './accounts.repository.js';

/** The account itself: whose commands run one after another, and only while it is active. */
@Injectable()
export class AccountsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(AccountsRepository) private readonly accounts: AccountsRepository,
    @Inject(IdempotencyService) private readonly idempotency: IdempotencyService,
  ) {}

  /**
   * Runs a command of the owner in one transaction: at most once under its Idempotency-Key, and alone
   * in the account. The lock order of this service is account, then key, then audit.
   * @throws AccountIsDeleted, NotFound.
   */
  async change<T extends object>(
    accountId: string,
    once: Once<T>,
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<T> {
    return this.database.transaction((transaction) =>
      this.idempotency.once(transaction, accountId, once, async () => {
        await this.lockActive(transaction, accountId);
        return work(transaction);
      }),
    );
  }

  /** Reads in one transaction. */
  async read<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.database.transaction(work);
  }

  /** @throws AccountIsDeleted, NotFound. */
  async lockActive(transaction: Transaction, accountId: string): Promise<Account> {
    const account = await this.lock(transaction, accountId);
    if (account.restoreUntil) throw new AccountIsDeleted(account.restoreUntil);
    return account;
  }

  /** @throws NotFound for an erased account too. */
  async lock(transaction: Transaction, accountId: string): Promise<Account> {
    const account = await this.accounts.lock(transaction, accountId);
    if (!account || account.state === 'erased') throw new NotFound();
    return account;
  }

  async create(transaction: Transaction, accountId: string, createdAt: Date): Promise<void> {
    await this.accounts.insert(transaction, {
      id: accountId,
      state: 'active',
      createdAt,
      deletedAt: null,
      restoreUntil: null,
      erasedAt: null,
    });
  }

  async update(
    transaction: Transaction,
    accountId: string,
    changes: Partial<Account>,
  ): Promise<void> {
    await this.accounts.update(transaction, accountId, changes);
  }
}
