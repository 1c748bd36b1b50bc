import { Injectable } from '@nestjs/common';
import { WorkQueue } from '#libs/work';

/** Accounts with checks of names that are to be paid. */
@Injectable()
export class PaidChecksQueue extends WorkQueue<Record<string, never>> {
  constructor() {
    super({ name: 'paid-checks' });
  }
}
