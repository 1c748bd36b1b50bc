import { Injectable } from '@nestjs/common';
import { WorkQueue } from '#libs/work';

export interface CreditsLowWork {
  /** The threshold as a percentage; 0 if no credits are left. */
  threshold: number;
  remaining: number;
}

@Injectable()
export class CreditsLowQueue extends WorkQueue<CreditsLowWork> {
  constructor() {
    super({ name: 'credits-low-mails' });
  }
}
