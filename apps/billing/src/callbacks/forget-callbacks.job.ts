import { Injectable } from '@nestjs/common';
import { Clock, DAY_MS, type Job } from '#libs/platform';
import { CallbacksMaintenanceRepository } from './callbacks.repository.js';

/** PayPal's callbacks name their payer: their words are kept to read faults from, and no longer. */
const KEPT_MS = 30 * DAY_MS;

/** Forgets the words of old callbacks, and rejected ones whole; ids and counts stay. */
@Injectable()
export class ForgetCallbacksJob implements Job {
  readonly name = 'forget-callbacks';

  constructor(
    private readonly callbacks: CallbacksMaintenanceRepository,
    private readonly clock: Clock,
  ) {}

  async runOnce(): Promise<void> {
    await this.callbacks.forgetBefore(new Date(this.clock.now().getTime() - KEPT_MS));
  }
}
