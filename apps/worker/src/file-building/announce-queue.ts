import { Injectable } from '@nestjs/common';
import { WorkQueue } from '#libs/work';

export interface AnnounceWork {
  editionId: string;
  /** The last account that was handled. */
  after?: string;
}

@Injectable()
export class AnnounceQueue extends WorkQueue<AnnounceWork> {
  constructor() {
    super({ name: 'file-news' });
  }
}
