import { Injectable } from '@nestjs/common';
import type { Job } from '#libs/platform';
import { RefundsMaintenanceRepository } from './refunds.repository.js';
import { RefundsService } from './refunds.service.js';

const PAYMENTS_MAX = 100;

/** Gives back what arrived for a duplicate or for a deleted account. */
@Injectable()
export class ReturnMoneyJob implements Job {
  readonly name = 'return-money';

  constructor(
    private readonly repository: RefundsMaintenanceRepository,
    private readonly refunds: RefundsService,
  ) {}

  async runOnce(): Promise<void> {
    for (const payment of await this.repository.listToReturn(PAYMENTS_MAX)) {
      await this.refunds.returnAll(payment, 'paid for a deleted account or twice');
    }
  }
}
