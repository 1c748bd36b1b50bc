import { Injectable } from '@nestjs/common';
import { Clock, DAY_MS, type Job } from '#libs/platform';
import { LogMaintenanceRepository } from './log-maintenance.repository.js';

/**
 * As far back as the log is kept a late row needs the hours of its month; each call also makes those of the
 * month before.
 */
const LATE_DAYS = [60, 30, 0];

/** Counts what the log has got since the last time, by the hour. Dropping is `RollPartitionsJob`'s. */
@Injectable()
export class RollUpJob implements Job {
  readonly name = 'roll-up';

  constructor(
    private readonly log: LogMaintenanceRepository,
    private readonly clock: Clock,
  ) {}

  async runOnce(): Promise<void> {
    for (const days of LATE_DAYS) {
      await this.log.makePartitions(new Date(this.clock.now().getTime() - days * DAY_MS));
    }
    await this.log.countNewRows();
  }
}
