import { Injectable } from '@nestjs/common';
import type { Job } from '#libs/platform';
import { CheckoutsService } from './checkouts.service.js';

const ORDERS_MAX = 100;

/** After a deletion nobody shall be able to pay for the account any more. */
@Injectable()
export class CloseCheckoutsJob implements Job {
  readonly name = 'close-checkouts';

  constructor(private readonly checkouts: CheckoutsService) {}

  async runOnce(): Promise<void> {
    await this.checkouts.closeOfDeleted(ORDERS_MAX);
  }
}
