import { Injectable } from '@nestjs/common';
import { Clock, type Job } from '#libs/platform';
import { trainedOn } from './lexical-model.js';
import { SignalsRepository } from './signals.repository.js';

const LABELS_MAX = 50_000;
/** The minimum number of labels; with fewer, a model would not describe names in general. */
const LABELS_MIN = 500;

/** Once a day, trains the model of letter sequences on the names in the corpus. */
@Injectable()
export class TrainModelJob implements Job {
  readonly name = 'train-lexical-model';

  constructor(
    private readonly repository: SignalsRepository,
    private readonly clock: Clock,
  ) {}

  async runOnce(): Promise<void> {
    const labels = await this.repository.sampleLabels(LABELS_MAX);
    if (labels.length < LABELS_MIN) return;
    await this.repository.keepModel(await trainedOn(labels), this.clock.now());
  }
}
