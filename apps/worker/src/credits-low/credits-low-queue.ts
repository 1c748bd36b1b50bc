import { Injectable } from '@nestjs/common';
import { WorkQueue } from '#libs/work';

export interface CreditsLowWork {
  /** The threshold, as a percentage of the latest grant; 0 if no credits are left. */
  threshold: number;
  remaining: number;
}

/** The queue of e-mails about low credits. An e-mail waits until its recipient is known. */
@Injectable()
export class CreditsLowQueue extends WorkQueue<CreditsLowWork> {
  constructor() {
    super({ name: 'credits-low-mails' });
  }
}
