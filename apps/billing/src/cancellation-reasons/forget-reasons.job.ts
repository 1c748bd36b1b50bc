import { Injectable } from '@nestjs/common';
import { Clock, DAY_MS, type Job } from '#libs/platform';
import { CancellationReasonsMaintenanceRepository } from './cancellation-reasons.repository.js';

const KEPT_MS = 90 * DAY_MS;

@Injectable()
export class ForgetReasonsJob implements Job {
  readonly name = 'forget-cancellation-reasons';

  constructor(
    private readonly reasons: CancellationReasonsMaintenanceRepository,
    private readonly clock: Clock,
  ) {}

  async runOnce(): Promise<void> {
    await this.reasons.deleteBefore(new Date(this.clock.now().getTime() - KEPT_MS));
  }
}
