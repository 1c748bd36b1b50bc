import { Injectable } from '@nestjs/common';
import type { Database, Transaction } from '#libs/database';
import { type AccountStanding, AccountStatesRepository } from './account-states.repository.js';

/** The states of accounts, as reported by events, for the work done on their behalf. */
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
