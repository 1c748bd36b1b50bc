import { Injectable } from '@nestjs/common';
import { WorkQueue } from '#libs/work';

export interface AnnounceWork {
  editionId: string;
  /** The last account that was notified. */
  after?: string;
}

/** The queue of files about which webhooks must be notified. */
@Injectable()
export class AnnounceQueue extends WorkQueue<AnnounceWork> {
  constructor() {
    super({ name: 'file-news' });
  }
}
