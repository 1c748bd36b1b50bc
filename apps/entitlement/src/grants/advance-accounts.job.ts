import { Injectable } from '@nestjs/common';
import { GrantsService } from './grants.service.js';

/** Issues and expires what is due for accounts that nobody asks about. */
@Injectable()
export class AdvanceAccountsJob {
  readonly name = 'advance-accounts';

  constructor(private readonly grants: GrantsService) {}

  async runOnce(): Promise<void> {
    await this.grants.advanceDueAccounts();
  }
}
