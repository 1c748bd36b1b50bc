import { Injectable } from '@nestjs/common';
import { Clock, type Job, Logger } from '#libs/platform';
import { RefundsMaintenanceRepository } from './refunds.repository.js';
import { RETURN_PAUSES_MS, RefundsService } from './refunds.service.js';

const PAYMENTS_MAX = 100;

/** Gives back what arrived for a duplicate or for a deleted account. */
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
    const now = this.clock.now();
    const due = await this.repository.listToReturn(now, RETURN_PAUSES_MS, PAYMENTS_MAX);
    for (const payment of due) {
      // This payment waits for the next round; the others need not.
      await this.refunds
        .returnAll(payment, 'paid for a deleted account or twice')
        .catch((error: unknown) =>
          this.logger.error('a payment could not be given back yet', {
            paymentId: payment.id,
            err: error,
          }),
        );
    }
  }
}
