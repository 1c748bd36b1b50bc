import { Injectable } from '@nestjs/common';
import type { Dataset } from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { WorkQueue } from '#libs/work';
import { cadenceOf } from './file-edition.js';

export interface BuildWork {
  dataset: Dataset;
  day: string;
  edition: number;
  /**
   * Set if the build replaces an edition that may contain suppressed values. If that edition contains none, the build
   * is not needed.
   */
  isReplacement?: true;
}

/** The queue of files to build. Daily files precede full downloads, which take a long time. */
@Injectable()
export class BuildQueue extends WorkQueue<BuildWork> {
  constructor() {
    super({ name: 'file-builds' });
  }

  /** Adds a build unless it is already waiting, running or dead. */
  async build(transaction: Transaction, work: BuildWork): Promise<void> {
    const { dataset, day, edition, isReplacement } = work;
    await this.add(transaction, {
      name: `${dataset} ${day} ${edition}${isReplacement ? ' replacement' : ''}`,
      payload: work,
      lane: cadenceOf(dataset) === 'daily' ? 'fast' : 'normal',
    });
  }

  /**
   * Adds a build of the next edition, because values may have been suppressed after this edition
   * was built.
   */
  async replace(transaction: Transaction, withheld: BuildWork): Promise<void> {
    const { dataset, day, edition } = withheld;
    await this.build(transaction, { dataset, day, edition: edition + 1, isReplacement: true });
  }
}
