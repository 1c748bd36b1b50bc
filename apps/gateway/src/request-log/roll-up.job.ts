import { Injectable } from '@nestjs/common';
import { Clock, DAY_MS, type Job } from '#libs/platform';
import { LogMaintenanceRepository } from './log-maintenance.repository.js';

/** Each run creates the partitions of 60, 30 and 0 days ago, because a late row needs the partition of its own day. */
const LATE_DAYS = [60, 30, 0];

/**
 * Creates the partitions of late rows, and adds new rows of the log to the hourly counts. Partitions are dropped by
 * `RollPartitionsJob`.
 */
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
