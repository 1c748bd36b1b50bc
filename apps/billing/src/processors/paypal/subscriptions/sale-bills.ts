import type { Micros } from '#libs/platform';
import type { BillSnapshot } from '../../payment-processor.js';
import { UnfitObject } from '../../unfit-object.js';
import { currencyOf, idOf, microsOf, timeOf } from '../paypal-objects.js';
import { periodPaidAt } from './billing-period.js';
import {
  type KnownSubscription,
  type KnownSubscriptions,
  type PlannedUnits,
  billedPlan,
  priceOf,
} from './known-subscription.js';
import type { PaidChanges } from './paid-changes.js';
import type { SubscriptionsClient } from './subscriptions-client.js';

/**
 * Turns PayPal's payments for periods into bills. A payment names neither plan nor period, so both are derived from its
 * amount and time.
 */
export class SaleBills {
  constructor(
    private readonly client: SubscriptionsClient,
    private readonly known: KnownSubscriptions,
    private readonly changes: PaidChanges,
  ) {}

  async fetch(id: string): Promise<BillSnapshot> {
    const sale = await this.client.getSale(id);
    const money = { value: sale.amount?.total, currency_code: sale.amount?.currency };
    const amountMicros = microsOf(money);
    const known = await this.known.read(idOf(sale.billing_agreement_id));
    const { plan, anchor } = await this.billedAt(known, timeOf(sale.create_time), amountMicros);
    const period = periodPaidAt(anchor, plan.interval, timeOf(sale.create_time));
    const isFirst = period.start.getTime() === known.start.getTime();
    return {
      kind: 'bill',
      id,
      subscriptionId: known.id,
      reason: isFirst ? 'start' : 'renewal',
      state: STATES[sale.state ?? ''] ?? unfit(id),
      isReturned: sale.state === 'refunded',
      paymentId: id,
      amountMicros,
      currency: currencyOf(money),
      lines: [{ ...billedPlan(plan), amountMicros, from: period.start, to: period.end }],
    };
  }

  /**
   * Chooses, from the plans before and after a change, the plan whose price was paid, or the plan in force at that time
   * if neither price was paid. A payment that we learn of after an upgrade may be for the earlier plan.
   */
  private async billedAt(
    known: KnownSubscription,
    at: Date,
    amountMicros: Micros,
  ): Promise<Billed> {
    const { former, next, mark, start } = known;
    const first = mark.anchor ?? start;
    const before: Billed = { plan: former, anchor: first };
    const after: Billed = {
      plan: next,
      anchor: former.interval === next.interval ? first : mark.until,
    };
    const isPrice = (plan: PlannedUnits | undefined) =>
      plan !== undefined && priceOf(plan) === amountMicros;
    const [likely, other] = at < mark.until ? [before, after] : [after, before];
    const fits = [likely, other].find(({ plan }) => isPrice(plan));
    if (fits) return fits;
    const earlier = await this.changes.planBefore(known);
    return earlier && isPrice(earlier) ? { plan: earlier, anchor: first } : likely;
  }
}

/** The state of a bill, by the state of its payment. Returned money is reported by refunds. */
const STATES: Readonly<Record<string, BillSnapshot['state']>> = {
  completed: 'paid',
  partially_refunded: 'paid',
  refunded: 'paid',
  pending: 'open',
  denied: 'void',
};

function unfit(id: string): never {
  throw new UnfitObject(`the payment ${id} is in an unknown state`);
}

interface Billed {
  plan: PlannedUnits;
  anchor: Date;
}
