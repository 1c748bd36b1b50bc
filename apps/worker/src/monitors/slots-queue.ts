import { Injectable } from '@nestjs/common';
import { WorkQueue } from '#libs/work';

/** Accounts whose allowance changed, and with it how many monitors they may have. */
@Injectable()
export class SlotsQueue extends WorkQueue<Record<string, never>> {
  constructor() {
    super({ name: 'monitor-slots' });
  }
}
