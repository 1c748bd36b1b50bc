import { Injectable } from '@nestjs/common';
import { WorkQueue } from '#libs/work';

export interface CreditsLowWork {
  /** Percentage of what was last granted; 0: nothing is left. */
  threshold: number;
  remaining: number;
}

/** Mails that say that credits run out, until it is known to whom. */
@Injectable()
export class CreditsLowQueue extends WorkQueue<CreditsLowWork> {
  constructor() {
    super({ name: 'credits-low-mails' });
  }
}
