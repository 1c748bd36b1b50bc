import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { Clock, DAY_MS, type Job } from '#libs/platform';
import { DigestsMaintenanceRepository } from './digests-maintenance.repository.js';

const KEPT_DAYS = 90;
const AT_ONCE = 5_000;

/** Removes events of monitors after 90 days, test events after a day, and old counts of reported names. */
@Injectable()
export class ForgetNewsJob implements Job {
  readonly name = 'forget-monitor-news';

  constructor(
    private readonly database: Database,
    private readonly rows: DigestsMaintenanceRepository,
    private readonly clock: Clock,
  ) {}

  async runOnce(): Promise<void> {
    const now = this.clock.now().getTime();
    const before = new Date(now - KEPT_DAYS * DAY_MS);
    while ((await this.rows.deleteNewsBefore(this.database, before, AT_ONCE)) === AT_ONCE);
    const yesterday = new Date(now - DAY_MS);
    while (
      (await this.rows.deleteNewsBefore(this.database, yesterday, AT_ONCE, 'tests')) === AT_ONCE
    );
    await this.rows.deleteFindsBefore(this.database, yesterday.toISOString().slice(0, 10));
  }
}
