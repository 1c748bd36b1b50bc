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
  /** Not needed if the previous edition contains nothing suppressed since. */
  isReplacement?: true;
}

/** Files that are to be made. Those of a day come before the full ones, which take long. */
@Injectable()
export class BuildQueue extends WorkQueue<BuildWork> {
  constructor() {
    super({ name: 'file-builds' });
  }

  /** Adds a build unless it waits already. */
  async build(transaction: Transaction, work: BuildWork): Promise<void> {
    const { dataset, day, edition, isReplacement } = work;
    await this.add(transaction, {
      name: `${dataset} ${day} ${edition}${isReplacement ? ' replacement' : ''}`,
      payload: work,
      lane: cadenceOf(dataset) === 'daily' ? 'fast' : 'normal',
    });
  }

  /** Has an edition replaced that may hold what was suppressed since. */
  async replace(transaction: Transaction, withheld: BuildWork): Promise<void> {
    const { dataset, day, edition } = withheld;
    await this.build(transaction, { dataset, day, edition: edition + 1, isReplacement: true });
  }
}
