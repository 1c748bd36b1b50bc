import { Injectable } from '@nestjs/common';
import { DueAccountsService } from './due-accounts.service.js';

/** Issues and expires credits that are due in accounts without requests. */
@Injectable()
export class AdvanceAccountsJob {
  readonly name = 'advance-accounts';

  constructor(private readonly dueAccounts: DueAccountsService) {}

  async runOnce(): Promise<void> {
    await this.dueAccounts.advanceAll();
  }
}
