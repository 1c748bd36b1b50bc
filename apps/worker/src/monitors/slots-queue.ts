import { Injectable } from '@nestjs/common';
import { WorkQueue } from '#libs/work';

/** The queue of accounts whose allowance, and thus number of monitors, has changed. */
@Injectable()
export class SlotsQueue extends WorkQueue<Record<string, never>> {
  constructor() {
    super({ name: 'monitor-slots' });
  }
}
