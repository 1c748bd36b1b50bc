import { Injectable } from '@nestjs/common';
import { WorkQueue } from '#libs/work';

/** The queue of accounts whose allowance may have changed, so that some monitors may have to be paused or resumed. */
@Injectable()
export class SlotsQueue extends WorkQueue<Record<string, never>> {
  constructor() {
    super({ name: 'monitor-slots' });
  }
}
