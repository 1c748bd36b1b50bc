import { Injectable } from '@nestjs/common';
import type { Database, Transaction } from '#libs/database';
import { type AccountStanding, AccountStatesRepository } from './account-states.repository.js';

@Injectable()
export class AccountStatesService {
  constructor(private readonly states: AccountStatesRepository) {}

  /** Returns an account's state. An account without events is active and not suspended. */
  async find(
    runner: Pick<Database, 'query'> | Transaction,
    accountId: string,
  ): Promise<AccountStanding> {
    return this.states.find(runner, accountId);
  }
}
