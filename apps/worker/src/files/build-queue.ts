import { Injectable } from '@nestjs/common';
import type { Dataset } from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { WorkQueue } from '#libs/work';
import { cadenceOf } from './file-edition.js';

/** A file to be made. */
export interface BuildWork {
  dataset: Dataset;
  day: string;
  edition: number;
}

/** Files that are to be made. Those of a day come before the full ones, which take long. */
@Injectable()
export class BuildQueue extends WorkQueue<BuildWork> {
  constructor() {
    super({ name: 'file-builds' });
  }

  /** Adds a build unless it waits already. */
  async build(transaction: Transaction, { dataset, day, edition }: BuildWork): Promise<void> {
    await this.add(transaction, {
      name: `${dataset} ${day} ${edition}`,
      payload: { dataset, day, edition },
      lane: cadenceOf(dataset) === 'daily' ? 'fast' : 'normal',
    });
  }
}
