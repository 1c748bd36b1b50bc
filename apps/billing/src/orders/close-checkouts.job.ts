import { Injectable } from '@nestjs/common';
import { FIRST_ID, type Job } from '#libs/platform';
import { CheckoutsService } from './checkouts.service.js';

const ORDERS_MAX = 100;

/** Closes the checkout pages of deleted accounts, so that they can no longer be paid. */
@Injectable()
export class CloseCheckoutsJob implements Job {
  readonly name = 'close-checkouts';
  /** The next run continues after this id, so a page that the processor does not close never delays later ones. */
  private after = FIRST_ID;

  constructor(private readonly checkouts: CheckoutsService) {}

  async runOnce(): Promise<void> {
    const orders = await this.checkouts.closeOfDeleted(this.after, ORDERS_MAX);
    this.after = orders.length < ORDERS_MAX ? FIRST_ID : orders[orders.length - 1].id;
  }
}
