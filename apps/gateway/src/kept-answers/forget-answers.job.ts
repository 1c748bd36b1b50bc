import { Injectable } from '@nestjs/common';
import { Clock, type Job } from '#libs/platform';
import { KEPT_MS } from './kept-answers.js';
import { KeptAnswersMaintenanceRepository } from './kept-answers-maintenance.repository.js';

const DELETED_AT_ONCE = 1_000;

/** Deletes stored answers whose `Idempotency-Key` has expired. */
@Injectable()
export class ForgetAnswersJob implements Job {
  readonly name = 'forget-answers';

  constructor(
    private readonly answers: KeptAnswersMaintenanceRepository,
    private readonly clock: Clock,
  ) {}

  async runOnce(): Promise<void> {
    const than = new Date(this.clock.now().getTime() - KEPT_MS);
    while ((await this.answers.deleteOlder(than, DELETED_AT_ONCE)) === DELETED_AT_ONCE);
  }
}
