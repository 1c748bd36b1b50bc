import { Injectable } from '@nestjs/common';
import { Clock, DAY_MS, type Job, Logger } from '#libs/platform';
import { BuyerTaxService } from '../pricing/buyer-tax.service.js';
import { BillingDetailsMissing } from '../pricing/pricing.errors.js';
import { PaymentProcessors } from '../processors/payment-processors.js';
import { ChangeRefused } from '../subscriptions/subscriptions.errors.js';
import { PlanChangesService } from '../subscriptions/plan-changes.service.js';
import {
  type DecidedTax,
  type UndecidedTax,
  UndecidedTaxesMaintenanceRepository,
} from './undecided-taxes.repository.js';

/** How long before a period ends the next rate is decided: a processor may be unavailable for a while. */
const AHEAD_MS = 2 * DAY_MS;
const SUBSCRIPTIONS_MAX = 100;

/**
 * A period keeps the tax rate with which it began. The next period takes the rate that the operator's table then has
 * for the buyer's current billing details. If the processor would need the customer's approval for the change, the
 * subscription keeps its rate.
 */
@Injectable()
export class FollowTaxJob implements Job {
  readonly name = 'follow-tax';

  // oxlint-disable-next-line eslint/max-params -- a constructor may have six
  constructor(
    private readonly subscriptions: UndecidedTaxesMaintenanceRepository,
    private readonly changes: PlanChangesService,
    private readonly tax: BuyerTaxService,
    private readonly processors: PaymentProcessors,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  async runOnce(): Promise<void> {
    const from = this.clock.now();
    const to = new Date(from.getTime() + AHEAD_MS);
    const able = this.processors.all.filter(
      ({ capabilities }) => !capabilities.changesNeedApproval,
    );
    const processors = able.map(({ name }) => name);
    const soon = { processors, from, to };
    for (const one of await this.subscriptions.list(soon, SUBSCRIPTIONS_MAX)) {
      const decided = await this.decide(one);
      if (decided) await this.subscriptions.markDecided(one, decided);
    }
  }

  /** Undefined if it must be retried: a processor or account is unavailable, or a plan change is running. */
  private async decide({ id, accountId, taxPpm }: UndecidedTax): Promise<DecidedTax | undefined> {
    try {
      const { ppm, isReverseCharge } = await this.tax.taxOf(accountId);
      if (ppm !== taxPpm) await this.changes.changeTax(accountId, id, ppm);
      return { isReverseCharge };
    } catch (error) {
      // It began before there was a table, and the buyer never gave a country: the rate is unknown.
      if (error instanceof BillingDetailsMissing) return { isReverseCharge: null };
      this.logger.warn('a subscription keeps its rate of tax', { id, err: error });
      return error instanceof ChangeRefused ? { isReverseCharge: null } : undefined;
    }
  }
}
