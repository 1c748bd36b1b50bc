import { Injectable } from '@nestjs/common';
import { DAY_MS, type Job } from '#libs/platform';
import { HoldsRepository } from './holds.repository.js';

/** Holds are kept for as long as leases. After that, no caller repeats a settlement or a close. */
const KEPT_MS = 90 * DAY_MS;
const DELETED_AT_ONCE = 1_000;

/** Deletes holds that were closed long ago. The ledger and the usage by day stay. */
@Injectable()
export class ForgetHoldsJob implements Job {
  readonly name = 'forget-holds';

  constructor(private readonly holds: HoldsRepository) {}

  async runOnce(): Promise<void> {
    while ((await this.holds.deleteClosed(KEPT_MS, DELETED_AT_ONCE)) === DELETED_AT_ONCE);
  }
}
