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

/** How long before a period ends the rate of the next one is decided: a processor may be away for a while. */
const AHEAD_MS = 2 * DAY_MS;
const SUBSCRIPTIONS_MAX = 100;

/**
 * A period keeps the rate of tax that it began with. The next one takes the rate of the buyer's details as they are
 * shortly before it begins, by the operator's table of then. Left out is what a processor changes only with the
 * customer's approval: such a subscription keeps its rate.
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

  /** Undefined while it is to be tried again: a processor or account is away, or a change of the plan is under way. */
  private async decide({ id, accountId, taxPpm }: UndecidedTax): Promise<DecidedTax | undefined> {
    try {
      const { ppm, isReverseCharge } = await this.tax.taxOf(accountId);
      if (ppm !== taxPpm) await this.changes.changeTax(accountId, id, ppm);
      return { isReverseCharge };
    } catch (error) {
      // Begun before there was a table, by somebody who never said where: nobody can tell the rate.
      if (error instanceof BillingDetailsMissing) return { isReverseCharge: null };
      this.logger.warn('a subscription keeps its rate of tax', { id, err: error });
      return error instanceof ChangeRefused ? { isReverseCharge: null } : undefined;
    }
  }
}
