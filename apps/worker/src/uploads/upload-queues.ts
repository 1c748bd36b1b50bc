import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { WorkQueue } from '#libs/work';

export interface FolderWork {
  prefix: string;
}

@Injectable()
export class FolderQueue extends WorkQueue<FolderWork> {
  constructor() {
    super({ name: 'unneeded-files' });
  }

  async remove(transaction: Transaction, prefix: string): Promise<void> {
    await this.want(transaction, { name: prefix, payload: { prefix } });
  }
}

export interface ReadWork {
  uploadId: string;
}

@Injectable()
export class ReadQueue extends WorkQueue<ReadWork> {
  constructor() {
    super({ name: 'upload-reads' });
  }
}
