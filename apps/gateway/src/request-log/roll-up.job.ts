import { Injectable } from '@nestjs/common';
import { Clock, DAY_MS, HOUR_MS, type Job } from '#libs/platform';
import { RequestLogMaintenanceRepository } from './request-log.repository.js';

/** Entries are kept for 90 days; the hours for ever (until the account is erased). */
const KEEP_DAYS = 90;

/** Keeps tomorrow's partition ready, drops those that are too old, and counts the last hours. */
@Injectable()
export class RollUpJob implements Job {
  readonly name = 'roll-up';

  constructor(
    private readonly log: RequestLogMaintenanceRepository,
    private readonly clock: Clock,
  ) {}

  async runOnce(): Promise<void> {
    await rollPartitions(this.log, this.clock);
    // The hour before this one may have got its last entries just now.
    await this.log.rollUpHours(new Date(this.clock.now().getTime() - HOUR_MS));
  }
}

/** Makes the partitions around today and drops those that are too old. */
export async function rollPartitions(
  log: RequestLogMaintenanceRepository,
  clock: Clock,
): Promise<void> {
  const now = clock.now().getTime();
  await log.rollPartitions(new Date(now), new Date(now - KEEP_DAYS * DAY_MS));
}
