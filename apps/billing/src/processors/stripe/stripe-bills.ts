import type { Stripe } from 'stripe';
import type { BillLine, BillSnapshot } from '../payment-processor.js';
import { UnfitObject } from '../unfit-object.js';
import type { StripePrices } from './stripe-prices.js';
import { currencyOf, dateOf, idOf, reasonOf, toMicros } from './stripe-snapshots.js';
import { inKnownState } from './stripe-states.js';

/** Reads the invoices of subscriptions. */
export class StripeBills {
  constructor(
    private readonly stripe: Stripe,
    private readonly prices: StripePrices,
  ) {}

  async fetch(id: string): Promise<BillSnapshot> {
    const invoice = inKnownState(await this.stripe.invoices.retrieve(id, { expand: ['payments'] }));
    const details = invoice.parent?.subscription_details;
    if (!details) throw new UnfitObject(`the invoice ${id} belongs to no subscription`);
    const isVoid = ['void', 'uncollectible'].includes(invoice.status ?? '');
    const paid = invoice.payments?.data.find(({ status }) => status === 'paid');
    return {
      kind: 'bill',
      id: invoice.id,
      subscriptionId: idOf(details.subscription),
      reason: reasonOf(invoice),
      state: invoice.status === 'paid' ? 'paid' : isVoid ? 'void' : 'open',
      paymentId: idOf(paid?.payment.payment_intent) || null,
      amountMicros: toMicros(invoice.amount_paid),
      currency: currencyOf(invoice.currency),
      lines: await this.linesOf(invoice),
    };
  }

  private async linesOf(invoice: Stripe.Invoice): Promise<BillLine[]> {
    const lines: BillLine[] = [];
    for (const line of invoice.lines.data) {
      const plan = await this.prices.ownPlanOf(line.pricing?.price_details?.price);
      if (!plan) continue;
      lines.push({
        ...plan,
        quantity: line.quantity ?? 1,
        amountMicros: toMicros(line.amount),
        from: dateOf(line.period.start),
        to: dateOf(line.period.end),
      });
    }
    return lines;
  }
}
