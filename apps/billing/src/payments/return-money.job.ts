import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { Clock, type Job, Logger } from '#libs/platform';
import { PaymentProcessors } from '../processors/payment-processors.js';
import type { Payment } from './payment.entity.js';
import { PaymentsMaintenanceRepository, PaymentsRepository } from './payments.repository.js';

const PAYMENTS_MAX = 100;

/** Gives back what arrived for a duplicate or for a deleted account. */
@Injectable()
export class ReturnMoneyJob implements Job {
  readonly name = 'return-money';

  // oxlint-disable-next-line eslint/max-params -- a constructor may have six
  constructor(
    private readonly database: Database,
    private readonly allPayments: PaymentsMaintenanceRepository,
    private readonly payments: PaymentsRepository,
    private readonly processors: PaymentProcessors,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  async runOnce(): Promise<void> {
    for (const payment of await this.allPayments.listToReturn(PAYMENTS_MAX)) {
      await this.giveBack(payment);
    }
  }

  /** The payment's own id is the key: a repeat is the same refund. */
  private async giveBack(payment: Payment): Promise<void> {
    const { id, externalId, amountMicros } = payment;
    const processor = this.processors.get(payment.processor);
    if (amountMicros > 0n) {
      const asked = { refundId: id, paymentId: externalId, amountMicros };
      const outcome = await processor.refund(asked);
      if (outcome.outcome === 'unknown') return;
      if (outcome.outcome === 'refused') {
        this.logger.error('money could not be given back', { paymentId: id, code: outcome.code });
        return;
      }
    }
    const at = this.clock.now();
    await this.database.transaction((transaction) =>
      this.payments.markReturned(transaction, payment, at),
    );
  }
}
