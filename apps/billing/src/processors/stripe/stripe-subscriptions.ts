import { Stripe } from 'stripe';
import type { SubscriptionState } from '#libs/contracts';
import { type Micros, newId } from '#libs/platform';
import type {
  ChangeRequest,
  ChangeResult,
  SubscriptionSnapshot,
  UnpaidChange,
  UpgradeRequest,
  UpgradeResult,
} from '../payment-processor.js';
import { UnfitObject } from '../unfit-object.js';
import type { StripePrices } from './stripe-prices.js';
import type { PhaseItem, StripeSchedules } from './stripe-schedules.js';
import { inKnownState } from './stripe-states.js';
import { currencyOf, dateOf, endSetOf, idOf, lastEndOf, toMicros } from './stripe-snapshots.js';

/** Objects expanded when a subscription is fetched, so that one call returns the whole snapshot. */
const EXPAND = ['latest_invoice', 'schedule'];

const STATES: Readonly<Record<string, SubscriptionState>> = {
  incomplete: 'incomplete',
  incomplete_expired: 'expired',
  trialing: 'trialing',
  active: 'active',
  past_due: 'past_due',
  unpaid: 'unpaid',
  paused: 'paused',
  canceled: 'cancelled',
};

/** While an operator pauses the bills of a subscription, its status stays `active`. */
const stateOf = ({ status, pause_collection: pause }: Stripe.Subscription) =>
  status === 'active' && pause ? 'paused' : STATES[status];

const secondsOf = (time: Date) => Math.floor(time.getTime() / 1000);

interface OpenChange {
  item: Stripe.SubscriptionItem;
  invoice: Stripe.Invoice;
}

/** Whether the pending change is the requested change, with the same start time. */
const isOf = (open: OpenChange, wanted: { price: string; quantity: number }, from: Date) =>
  open.item.price.id === wanted.price &&
  open.item.quantity === wanted.quantity &&
  open.invoice.lines.data.every(({ period }) => period.start === secondsOf(from));

/** Whether Stripe refused a call, so that it has changed nothing. */
const isRefusal = (error: unknown) =>
  error instanceof Stripe.errors.StripeInvalidRequestError ||
  error instanceof Stripe.errors.StripeCardError;

const paymentOf = ({ hosted_invoice_url: page }: Stripe.Invoice): UpgradeResult => {
  return { state: 'payment_required', redirectUrl: page ?? '' };
};

/** Reads and changes subscriptions. Each subscription has one item. */
export class StripeSubscriptions {
  constructor(
    private readonly stripe: Stripe,
    private readonly prices: StripePrices,
    private readonly schedules: StripeSchedules,
  ) {}

  async fetch(id: string): Promise<SubscriptionSnapshot> {
    return this.snapshot(await this.stripe.subscriptions.retrieve(id, { expand: EXPAND }));
  }

  async preview(request: ChangeRequest, from: Date): Promise<{ dueMicros: Micros }> {
    const invoice = await this.stripe.invoices.createPreview({
      subscription: request.subscriptionId,
      subscription_details: {
        items: [await this.itemOf(request)],
        proration_behavior: 'always_invoice',
        proration_date: secondsOf(from),
      },
    });
    // The price of the change. The amount of its bill may differ, because a balance or a minimum may move part of the
    // price to another bill.
    return { dueMicros: toMicros(invoice.total) };
  }

  async upgrade(request: UpgradeRequest): Promise<UpgradeResult> {
    const { subscriptionId, changeId, from } = request;
    const item = await this.itemOf(request);
    const open = await this.openChange(subscriptionId);
    if (open && isOf(open, item, from)) return paymentOf(open.invoice);
    // The open change is dropped, because two open bills could both be paid.
    if (open) await this.dropChange(subscriptionId, changeId);
    // The schedule would switch to the plan of the pending change, regardless of the plan that is paid for now.
    const before = await this.releaseSchedule(subscriptionId);
    const params: Stripe.SubscriptionUpdateParams = {
      items: [item],
      proration_behavior: 'always_invoice',
      proration_date: secondsOf(from),
      payment_behavior: 'pending_if_incomplete',
      expand: EXPAND,
    };
    const options = { idempotencyKey: `change:${changeId}` };
    const changed = await this.stripe.subscriptions
      .update(subscriptionId, params, options)
      .catch(async (error: unknown) => {
        if (isRefusal(error)) await this.scheduleAgain(before);
        else await this.scheduleUnlessMade(before, item).catch(() => {});
        throw error;
      });
    return changed.pending_update === null
      ? { state: 'paid' }
      : paymentOf(changed.latest_invoice as Stripe.Invoice);
  }

  private async openChange(id: string): Promise<OpenChange | undefined> {
    const options = { expand: ['latest_invoice'] };
    const { pending_update: pending, latest_invoice: invoice } =
      await this.stripe.subscriptions.retrieve(id, options);
    const [item] = pending?.subscription_items ?? [];
    return item && { item, invoice: invoice as Stripe.Invoice };
  }

  /**
   * Drops an unpaid change by voiding its bill: Stripe drops an update together with the bill that the update waits
   * for.
   */
  async dropChange(id: string, key: string): Promise<void> {
    const subscription = await this.stripe.subscriptions.retrieve(id);
    if (subscription.pending_update === null) return;
    const options = { idempotencyKey: `drop:${key}` };
    await this.stripe.invoices.voidInvoice(idOf(subscription.latest_invoice), {}, options);
  }

  /**
   * Drops an unpaid change, and creates or updates a schedule that keeps the running period, then switches to the new
   * plan and then ends.
   */
  async changeAtPeriodEnd(request: ChangeRequest, key: string): Promise<ChangeResult> {
    const { subscriptionId, plan, quantity, currency } = request;
    // Otherwise, an unpaid change could still be paid, and the schedule would then override it.
    await this.dropChange(subscriptionId, key);
    const price = await this.prices.idOf(plan, currency);
    const subscription = await this.stripe.subscriptions.retrieve(subscriptionId);
    await this.schedules.add(subscription, { plan, price, quantity }, key);
    return { state: 'scheduled' };
  }

  /** Schedules a change again that an upgrade would have replaced, because Stripe has refused the upgrade. */
  private async scheduleAgain(before: Stripe.Subscription): Promise<void> {
    const next = await this.schedules.nextOf(before);
    if (next) await this.schedules.add({ ...before, schedule: null }, next, newId());
  }

  /**
   * Schedules a change again after an upgrade that got no answer, unless the upgrade was made. Otherwise, the customer
   * would have neither change.
   */
  private async scheduleUnlessMade(before: Stripe.Subscription, wanted: PhaseItem): Promise<void> {
    const { pending_update: pending, items } = await this.stripe.subscriptions.retrieve(before.id);
    const [{ price, quantity }] = items.data;
    const isMade = price.id === wanted.price && quantity === wanted.quantity;
    if (pending === null && !isMade) await this.scheduleAgain(before);
  }

  /**
   * Changes the plan of the running period without a charge. A change that waits for the end of the period keeps
   * waiting.
   */
  async setPlan(request: ChangeRequest, key: string): Promise<SubscriptionSnapshot> {
    const { subscriptionId: id } = request;
    const subscription = await this.stripe.subscriptions.retrieve(id, { expand: EXPAND });
    const wanted = await this.itemOf(request);
    const next = await this.schedules.nextOf(subscription);
    if (next && (next.price !== wanted.price || next.quantity !== wanted.quantity)) {
      await this.schedules.write(subscription, { running: wanted, next }, key);
      return this.fetch(id);
    }
    await this.releaseSchedule(id);
    const items = [wanted];
    const changed = await this.stripe.subscriptions.update(
      id,
      { items, proration_behavior: 'none', expand: EXPAND },
      { idempotencyKey: `plan:${key}` },
    );
    return this.snapshot(changed);
  }

  /**
   * Cancels a subscription at once or at the end of its period. While a payment is overdue, the subscription ends at
   * once even with `period_end`, because Stripe would otherwise keep trying to charge for the period.
   */
  async cancel(id: string, when: 'period_end' | 'now', key: string): Promise<SubscriptionSnapshot> {
    const before = await this.releaseSchedule(id);
    const { status, cancel_at_period_end: isByUs, items } = before;
    const options = { idempotencyKey: `cancel:${key}` };
    if (when === 'now' || status === 'past_due') {
      const ended = await this.stripe.subscriptions.cancel(id, { expand: EXPAND }, options);
      return this.snapshot(ended);
    }
    const [end, at] = [items.data[0].current_period_end, endSetOf(before)];
    const wish =
      at === null || isByUs ? { cancel_at_period_end: true } : { cancel_at: Math.min(at, end) };
    const params = { ...wish, expand: EXPAND };
    return this.snapshot(await this.stripe.subscriptions.update(id, params, options));
  }

  async resume(id: string, key: string): Promise<SubscriptionSnapshot> {
    const { cancel_at: at, cancel_at_period_end: isByUs } = await this.releaseSchedule(id);
    const wish =
      at === null || isByUs ? { cancel_at_period_end: false } : { cancel_at: '' as const };
    const params = { ...wish, expand: EXPAND };
    const options = { idempotencyKey: `resume:${key}` };
    return this.snapshot(await this.stripe.subscriptions.update(id, params, options));
  }

  /**
   * Releases the schedule, because Stripe refuses other changes to the end of a subscription that has one.
   * @returns the subscription as it was before.
   */
  private async releaseSchedule(id: string): Promise<Stripe.Subscription> {
    const subscription = await this.stripe.subscriptions.retrieve(id, { expand: EXPAND });
    const scheduleId = idOf(subscription.schedule);
    if (scheduleId !== '') {
      // Each attempt has its own key, because Stripe repeats its answer to a key, even an error, for a day.
      const options = { idempotencyKey: `release:${newId()}` };
      await this.stripe.subscriptionSchedules.release(scheduleId, {}, options);
    }
    return subscription;
  }

  private async itemOf({ subscriptionId, plan, quantity, currency }: ChangeRequest) {
    const price = await this.prices.idOf(plan, currency);
    const { items } = await this.stripe.subscriptions.retrieve(subscriptionId);
    return { id: items.data[0].id, price, quantity };
  }

  private async snapshot(subscription: Stripe.Subscription): Promise<SubscriptionSnapshot> {
    const state = stateOf(subscription);
    const [item] = subscription.items.data;
    if (!state || !item) throw new UnfitObject(`${subscription.id} is ${subscription.status}`);
    const { latest_invoice: invoice } = subscription;
    const isPaid = typeof invoice === 'object' && invoice?.status === 'paid';
    const next = await this.schedules.nextOf(subscription);
    return {
      kind: 'subscription',
      id: subscription.id,
      orderId: subscription.metadata.orderId ?? null,
      state,
      ...(await this.prices.planOf(item.price)),
      quantity: item.quantity ?? 1,
      currency: currencyOf(subscription.currency),
      periodStart: dateOf(item.current_period_start),
      periodEnd: dateOf(item.current_period_end),
      cancelAt: lastEndOf(subscription, item),
      pendingChange: next ? { ...next.plan, quantity: next.quantity } : null,
      unpaidChange: await this.unpaidChange(subscription),
      latestBill: invoice ? { id: idOf(invoice), isPaid } : null,
    };
  }

  private async unpaidChange({
    pending_update: pending,
    latest_invoice: invoice,
  }: Stripe.Subscription): Promise<UnpaidChange | null> {
    const [item] = pending?.subscription_items ?? [];
    if (!pending || !item || typeof invoice !== 'object' || invoice?.status !== 'open') return null;
    return {
      ...(await this.prices.planOf(item.price)),
      quantity: item.quantity ?? 1,
      dueMicros: toMicros(invoice.amount_due),
      pageUrl: invoice.hosted_invoice_url ?? '',
      until: dateOf(pending.expires_at),
      isDeclined: await this.isDeclined(invoice.id),
    };
  }

  /** Whether the card was declined. A card whose owner must confirm the payment was not declined. */
  private async isDeclined(invoiceId: string): Promise<boolean> {
    const { payments } = await this.stripe.invoices.retrieve(invoiceId, { expand: ['payments'] });
    const open = payments?.data.find(({ status }) => status === 'open');
    const intentId = idOf(open?.payment.payment_intent);
    if (intentId === '') return false;
    const intent = inKnownState(await this.stripe.paymentIntents.retrieve(intentId));
    return intent.status === 'requires_payment_method';
  }
}
