import { Injectable } from '@nestjs/common';
import { FIRST_ID, type Job, Logger } from '#libs/platform';
import type { Payment } from '../payment-records/payment.entity.js';
import type { Reversal } from '../payment-records/reversal.entity.js';
import { RefundCallsService } from './refund-calls.service.js';
import { RefundsMaintenanceRepository } from './refunds.repository.js';

const REFUNDS_MAX = 100;

@Injectable()
export class SettleRefundsJob implements Job {
  readonly name = 'settle-refunds';
  /** The next run continues after this id, so refunds that stay unconfirmed never delay later ones. */
  private after = FIRST_ID;

  constructor(
    private readonly repository: RefundsMaintenanceRepository,
    private readonly calls: RefundCallsService,
    private readonly logger: Logger,
  ) {}

  async runOnce(): Promise<void> {
    const unsettled = await this.repository.listToSettle(this.after, REFUNDS_MAX);
    this.after = unsettled.length < REFUNDS_MAX ? FIRST_ID : unsettled[REFUNDS_MAX - 1].refund.id;
    for (const { payment, refund } of unsettled) {
      // This refund waits for the next run, and the others continue.
      await this.settle(payment, refund).catch((error: unknown) =>
        this.logger.error('a refund could not be settled yet', {
          refundId: refund.id,
          err: error,
        }),
      );
    }
  }

  /** Checks first whether an operator has dismissed the refund in the meantime: each earlier call may take seconds. */
  private async settle(payment: Payment, refund: Reversal): Promise<void> {
    if (await this.repository.isUnsettled(refund)) await this.calls.settle(payment, refund);
  }
}
