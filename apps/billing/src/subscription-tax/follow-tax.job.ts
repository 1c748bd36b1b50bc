import { Injectable } from '@nestjs/common';
import { Clock, DAY_MS, type Job } from '#libs/platform';
import { PaymentProcessors } from '../processors/payment-processors.js';
import { RenewalTaxService } from './renewal-tax.service.js';
import { UndecidedTaxesMaintenanceRepository } from './undecided-taxes.repository.js';

/**
 * The time between the decision about the rate and the time at which the processor needs the price. The processor may
 * be unavailable for a while, and the e-mail about a monthly renewal, which is sent three days ahead, names the price.
 */
const AHEAD_MS = 4 * DAY_MS;
const SUBSCRIPTIONS_MAX = 100;

/**
 * Decides tax rates for next periods. A period keeps the rate with which it began. The next period gets the rate in the
 * operator's table for the buyer's billing details, both as they are at the time of the decision.
 */
@Injectable()
export class FollowTaxJob implements Job {
  readonly name = 'follow-tax';

  constructor(
    private readonly subscriptions: UndecidedTaxesMaintenanceRepository,
    private readonly tax: RenewalTaxService,
    private readonly processors: PaymentProcessors,
    private readonly clock: Clock,
  ) {}

  async runOnce(): Promise<void> {
    for (const { name, capabilities } of this.processors.all) {
      const from = new Date(this.clock.now().getTime() + capabilities.priceNoticeMs);
      const soon = { processor: name, from, to: new Date(from.getTime() + AHEAD_MS) };
      for (const one of await this.subscriptions.list(soon, SUBSCRIPTIONS_MAX)) {
        await this.tax.decide(one);
      }
    }
  }
}
