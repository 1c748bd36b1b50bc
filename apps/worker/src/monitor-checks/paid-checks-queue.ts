import { Injectable } from '@nestjs/common';
import { WorkQueue } from '#libs/work';

/** The queue of accounts that have to pay for checks. */
@Injectable()
export class PaidChecksQueue extends WorkQueue<Record<string, never>> {
  constructor() {
    super({ name: 'paid-checks' });
  }
}
