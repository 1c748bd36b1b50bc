import { Injectable } from '@nestjs/common';
import type { Database, Transaction } from '#libs/database';
import { type AccountStanding, AccountStatesRepository } from './account-states.repository.js';

/** Returns the states of accounts, as reported by events, for the code that works on behalf of accounts. */
@Injectable()
export class AccountStatesService {
  constructor(private readonly states: AccountStatesRepository) {}

  /** An account without events is active. */
  async find(
    runner: Pick<Database, 'query'> | Transaction,
    accountId: string,
  ): Promise<AccountStanding> {
    return this.states.find(runner, accountId);
  }
}
