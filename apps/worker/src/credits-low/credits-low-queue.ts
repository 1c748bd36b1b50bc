import { Injectable } from '@nestjs/common';
import { WorkQueue } from '#libs/work';

export interface CreditsLowWork {
  /** The threshold as a percentage of the credits that were granted last; 0 if no credits are left. */
  threshold: number;
  remaining: number;
}

/** The queue of mails about low credits, which wait until their recipient is known. */
@Injectable()
export class CreditsLowQueue extends WorkQueue<CreditsLowWork> {
  constructor() {
    super({ name: 'credits-low-mails' });
  }
}
