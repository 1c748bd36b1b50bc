import { Injectable } from '@nestjs/common';
import { Clock, DAY_MS, type Job } from '#libs/platform';
import { CallbacksMaintenanceRepository } from './callbacks.repository.js';

/** How long the bodies of callbacks are kept for investigating faults. They contain the payer's data. */
const KEPT_MS = 30 * DAY_MS;
/** Half a million callbacks may arrive in a day, too many for the time limit of one statement. */
const BODIES_AT_ONCE = 1_000;

/** Deletes the bodies of old callbacks, and old rejected callbacks entirely. Ids and counts stay. */
@Injectable()
export class ForgetCallbacksJob implements Job {
  readonly name = 'forget-callbacks';

  constructor(
    private readonly callbacks: CallbacksMaintenanceRepository,
    private readonly clock: Clock,
  ) {}

  async runOnce(): Promise<void> {
    const before = new Date(this.clock.now().getTime() - KEPT_MS);
    while ((await this.callbacks.forgetBodies(before, BODIES_AT_ONCE)) === BODIES_AT_ONCE);
    await this.callbacks.forgetRejected(before);
  }
}
