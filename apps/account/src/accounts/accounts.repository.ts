import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { Account } from './account.entity.js';

@Injectable()
export class AccountsRepository {
  async insert(transaction: Transaction, account: Account): Promise<void> {
    await transaction.manager.insert(Account, account);
  }

  async find(transaction: Transaction, accountId: string): Promise<Account | null> {
    return transaction.manager.findOneBy(Account, { id: accountId });
  }

  /**
   * Locks the account's row until the transaction ends. Other transactions that lock or change the row wait.
   * @returns null for an unknown account.
   */
  async lock(transaction: Transaction, accountId: string): Promise<Account | null> {
    return transaction.manager
      .createQueryBuilder(Account, 'account')
      .where('account.id = :accountId', { accountId })
      .setLock('for_no_key_update')
      .getOne();
  }

  async update(
    transaction: Transaction,
    accountId: string,
    changes: Partial<Account>,
  ): Promise<void> {
    await transaction.manager.update(Account, { id: accountId }, changes);
  }
}
