import { Injectable } from '@nestjs/common';
import { Clock, type Job, Logger } from '#libs/platform';
import { RefundsMaintenanceRepository } from './refunds.repository.js';
import { RefundsService } from './refunds.service.js';

const PAYMENTS_MAX = 100;
const REFUNDS_MAX = 100;

/**
 * Refunds duplicate payments, payments for a deleted account and payments that came too late for their plan change, and
 * retries failed refunds.
 */
@Injectable()
export class ReturnMoneyJob implements Job {
  readonly name = 'return-money';

  constructor(
    private readonly repository: RefundsMaintenanceRepository,
    private readonly refunds: RefundsService,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  async runOnce(): Promise<void> {
    for (const payment of await this.repository.listToReturn(PAYMENTS_MAX)) {
      const paymentId = payment.id;
      await this.refunds
        .returnAll(payment, 'paid for a deleted account, twice or too late')
        .catch((err: unknown) => this.postpone({ paymentId, err }));
    }
    const now = this.clock.now();
    for (const { payment, refund } of await this.repository.listToRetry(now, REFUNDS_MAX)) {
      const [paymentId, refundId] = [payment.id, refund.id];
      await this.refunds
        .retryDue(payment, refundId)
        .catch((err: unknown) => this.postpone({ paymentId, refundId, err }));
    }
  }

  /** Leaves a payment to the next run, so that this run continues with the other payments. */
  private postpone(fields: object): void {
    this.logger.error('a payment could not be refunded yet', fields);
  }
}
