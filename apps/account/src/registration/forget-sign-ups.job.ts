import { Injectable } from '@nestjs/common';
import { AccountsService } from '../accounts/accounts.service.js';
import { ThrottlingService } from '../throttling/throttling.service.js';
import { SignUpsService } from './sign-ups.service.js';

/** Deletes sign-ups that were not confirmed in time, and old counts of attempts. */
@Injectable()
export class ForgetSignUpsJob {
  readonly name = 'forget-sign-ups';

  constructor(
    private readonly accounts: AccountsService,
    private readonly signUps: SignUpsService,
    private readonly throttling: ThrottlingService,
  ) {}

  async runOnce(): Promise<void> {
    await this.accounts.transaction((transaction) => this.signUps.purge(transaction));
    await this.throttling.forgetOld();
  }
}
