import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { Clock, DAY_MS, type Job } from '#libs/platform';
import { DeliveriesRepository } from './deliveries.repository.js';

const KEPT_DAYS = 30;
const AT_ONCE = 5_000;

@Injectable()
export class ForgetDeliveriesJob implements Job {
  readonly name = 'forget-deliveries';

  constructor(
    private readonly database: Database,
    private readonly deliveries: DeliveriesRepository,
    private readonly clock: Clock,
  ) {}

  async runOnce(): Promise<void> {
    const before = new Date(this.clock.now().getTime() - KEPT_DAYS * DAY_MS);
    while ((await this.deliveries.deleteBefore(this.database, before, AT_ONCE)) === AT_ONCE);
  }
}
