import { Injectable } from '@nestjs/common';
import type { Job } from '#libs/platform';
import { RefundCallsService } from './refund-calls.service.js';
import { RefundsMaintenanceRepository } from './refunds.repository.js';

const REFUNDS_MAX = 100;

/** Looks after refunds of which it is not known whether the processor has made them. */
@Injectable()
export class SettleRefundsJob implements Job {
  readonly name = 'settle-refunds';

  constructor(
    private readonly repository: RefundsMaintenanceRepository,
    private readonly calls: RefundCallsService,
  ) {}

  async runOnce(): Promise<void> {
    for (const { payment, refund } of await this.repository.listToSettle(REFUNDS_MAX)) {
      await this.calls.settle(payment, refund);
    }
  }
}
