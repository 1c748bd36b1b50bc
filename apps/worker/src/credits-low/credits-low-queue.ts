import { Injectable } from '@nestjs/common';
import { WorkQueue } from '#libs/work';

export interface CreditsLowWork {
  /** A percentage of the credits granted last; 0: nothing is left. */
  threshold: number;
  remaining: number;
}

/** Mails about low credits that wait until their recipient is known. */
@Injectable()
export class CreditsLowQueue extends WorkQueue<CreditsLowWork> {
  constructor() {
    super({ name: 'credits-low-mails' });
  }
}
