import { Injectable } from '@nestjs/common';
import { WorkQueue } from '#libs/work';

/** The queue of accounts with checks that must be paid. */
@Injectable()
export class PaidChecksQueue extends WorkQueue<Record<string, never>> {
  constructor() {
    super({ name: 'paid-checks' });
  }
}
