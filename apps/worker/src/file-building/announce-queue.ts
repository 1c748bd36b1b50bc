import { Injectable } from '@nestjs/common';
import { WorkQueue } from '#libs/work';

export interface AnnounceWork {
  editionId: string;
  /** The last account that was told of it. */
  after?: string;
}

/** Files that webhooks are to be told of. */
@Injectable()
export class AnnounceQueue extends WorkQueue<AnnounceWork> {
  constructor() {
    super({ name: 'file-news' });
  }
}
