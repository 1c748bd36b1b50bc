import { Injectable } from '@nestjs/common';
import { WorkQueue } from '#libs/work';

/** Accounts with checks that must be paid. */
@Injectable()
export class PaidChecksQueue extends WorkQueue<Record<string, never>> {
  constructor() {
    super({ name: 'paid-checks' });
  }
}
