import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { JobsService } from '../jobs/jobs.service.js';
import { AccountStatesRepository } from './account-states.repository.js';
import { ErasedDataService } from './erased-data.service.js';

@Injectable()
export class AccountsService {
  constructor(
    private readonly states: AccountStatesRepository,
    private readonly jobs: JobsService,
    private readonly erasedData: ErasedDataService,
  ) {}

  async remove(transaction: Transaction, accountId: string): Promise<void> {
    await this.states.putState(transaction, accountId, 'deleted');
    await this.jobs.stopAll(transaction, accountId);
  }

  async restore(transaction: Transaction, accountId: string): Promise<void> {
    await this.states.putState(transaction, accountId, 'active');
  }

  async changeSuspension(
    transaction: Transaction,
    accountId: string,
    isSuspended: boolean,
  ): Promise<void> {
    await this.states.putSuspension(transaction, accountId, isSuspended);
  }

  async erase(transaction: Transaction, accountId: string): Promise<void> {
    await this.states.putState(transaction, accountId, 'erased');
    await this.erasedData.remove(transaction, accountId);
  }
}
