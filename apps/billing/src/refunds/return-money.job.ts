import { Injectable } from '@nestjs/common';
import { Clock, type Job } from '#libs/platform';
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
  ) {}

  async runOnce(): Promise<void> {
    const now = this.clock.now();
    const due = await this.repository.listToReturn(now, RETURN_PAUSES_MS, PAYMENTS_MAX);
    for (const payment of due) {
      await this.refunds.returnAll(payment, 'paid for a deleted account or twice');
    }
  }
}
