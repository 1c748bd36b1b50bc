import { Injectable } from '@nestjs/common';
import { WorkQueue } from '#libs/work';

/** The queue of accounts whose allowance has changed, which may change the number of their active monitors. */
@Injectable()
export class SlotsQueue extends WorkQueue<Record<string, never>> {
  constructor() {
    super({ name: 'monitor-slots' });
  }
}
