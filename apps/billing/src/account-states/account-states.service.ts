import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { AccountDeletedHere, AccountSuspendedHere } from './account-states.errors.js';
import { type AccountState, AccountStatesRepository } from './account-states.repository.js';

@Injectable()
export class AccountStatesService {
  constructor(private readonly states: AccountStatesRepository) {}

  async change(
    transaction: Transaction,
    accountId: string,
    change: { state: AccountState; at: Date },
  ): Promise<void> {
    await this.states.put(transaction, accountId, change);
  }

  async isActive(transaction: Transaction, accountId: string): Promise<boolean> {
    return (await this.states.find(transaction, accountId)) === 'active';
  }

  async isErased(transaction: Transaction, accountId: string): Promise<boolean> {
    return (await this.states.find(transaction, accountId)) === 'erased';
  }

  /** @throws AccountDeletedHere. */
  async checkActive(transaction: Transaction, accountId: string): Promise<void> {
    if (!(await this.isActive(transaction, accountId))) throw new AccountDeletedHere();
  }

  /**
   * Stores or ends a suspension. A suspended account cannot buy anything else, but its earlier payments still count.
   */
  async changeSuspension(
    transaction: Transaction,
    accountId: string,
    change: { isSuspended: boolean; at: Date },
  ): Promise<void> {
    await this.states.putSuspension(transaction, accountId, change);
  }

  /** @throws AccountDeletedHere, AccountSuspendedHere. */
  async checkMayBuy(transaction: Transaction, accountId: string): Promise<void> {
    await this.checkActive(transaction, accountId);
    if (await this.states.isSuspended(transaction, accountId)) throw new AccountSuspendedHere();
  }
}
