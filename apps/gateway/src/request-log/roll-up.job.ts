import { Injectable } from '@nestjs/common';
import { Clock, DAY_MS, HOUR_MS, Logger, MINUTE_MS } from '#libs/platform';
import { RequestLogMaintenanceRepository } from './request-log.repository.js';

const INTERVAL_MS = MINUTE_MS;
/** Entries are kept for 90 days; the hours for ever (until the account is erased). */
const KEEP_DAYS = 90;

/** Keeps tomorrow's partition ready, drops those that are too old, and counts the last hours. */
@Injectable()
export class RollUpJob {
  private timer?: NodeJS.Timeout;

  constructor(
    private readonly log: RequestLogMaintenanceRepository,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Runs once, then every minute. @throws when the first partition cannot be made. */
  async start(): Promise<void> {
    await this.run();
    this.timer = setInterval(() => {
      this.run().catch((error: unknown) => this.logger.warn('the roll-up failed', error));
    }, INTERVAL_MS);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  async run(): Promise<void> {
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
