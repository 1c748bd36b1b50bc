import { Injectable } from '@nestjs/common';
import { type Job, Logger } from '#libs/platform';
import { RefundCallsService } from './refund-calls.service.js';
import { RefundsMaintenanceRepository } from './refunds.repository.js';

const REFUNDS_MAX = 100;

@Injectable()
export class SettleRefundsJob implements Job {
  readonly name = 'settle-refunds';

  constructor(
    private readonly repository: RefundsMaintenanceRepository,
    private readonly calls: RefundCallsService,
    private readonly logger: Logger,
  ) {}

  async runOnce(): Promise<void> {
    for (const { payment, refund } of await this.repository.listToSettle(REFUNDS_MAX)) {
      // This refund waits for the next run, and the others continue.
      await this.calls.settle(payment, refund).catch((error: unknown) =>
        this.logger.error('a refund could not be settled yet', {
          refundId: refund.id,
          err: error,
        }),
      );
    }
  }
}
