import type { Stripe } from 'stripe';
import { HOUR_MS, addMonths } from '#libs/platform';
import { type BilledItem, type Invoices, cardIdOf } from './invoices.js';
import { listed } from './listing.js';
import {
  type Invoice,
  type ListOf,
  type Price,
  type Subscription,
  type SubscriptionItem,
  type SubscriptionSchedule,
  listOf,
  seconds,
} from './stripe-objects.js';
import type { Form } from './requests/form-body.js';
import { StripeRefusal } from './requests/stripe-refusal.js';
import type { StripeWorld } from './stripe-world.js';

export interface WantedItem {
  price: Price;
  quantity: number;
}

type PeriodReason = 'subscription_cycle' | 'subscription_update';

const PENDING_UPDATE_MS = 23 * HOUR_MS;
const ENDED = ['canceled', 'incomplete_expired'];

/** Simulates subscriptions with one item: start, renewal, change and end. */
export class Subscriptions {
  constructor(
    private readonly world: StripeWorld,
    private readonly invoices: Invoices,
  ) {}

  /**
   * Starts a subscription after a paid checkout. (Since version basil, a subscription does not exist before the
   * payment.)
   */
  begin(customer: string, wanted: WantedItem, metadata: Stripe.Metadata): Subscription {
    const { world } = this;
    const id = world.newId('subscription');
    const subscription = world.put({
      id,
      object: 'subscription',
      billing_cycle_anchor: world.now,
      cancel_at: null,
      cancel_at_period_end: false,
      canceled_at: null,
      created: world.now,
      currency: wanted.price.currency,
      customer,
      // As in a checkout, the card becomes that of the subscription.
      default_payment_method: cardIdOf(id),
      discounts: [],
      ended_at: null,
      items: listOf([this.itemOf(id, wanted, world.now, world.now)]),
      latest_invoice: null,
      livemode: false,
      metadata,
      payment_settings: { save_default_payment_method: 'off' },
      pending_update: null,
      schedule: null,
      status: 'active',
    } satisfies Subscription);
    this.invoices.addOwnCard(subscription);
    this.nextPeriod(subscription);
    world.emit('v1.customer.subscription.created', subscription);
    this.invoices.pay(this.billPeriod(subscription, 'subscription_create'));
    return subscription;
  }

  /** `POST /v1/subscriptions/{id}`. */
  update(id: string, params: Stripe.SubscriptionUpdateParams): Subscription {
    const subscription = this.running(id);
    const { cancel_at: cancelAt } = params;
    if (params.cancel_at_period_end !== undefined || cancelAt !== undefined) {
      if (subscription.schedule !== null) {
        const message = 'The subscription is managed by the subscription schedule.';
        throw StripeRefusal.invalid('subscription_managed_by_schedule', message);
      }
      subscription.cancel_at_period_end = params.cancel_at_period_end ?? false;
      subscription.cancel_at = cancelAt ? Number(cancelAt) : null;
      const isEnding = subscription.cancel_at_period_end || subscription.cancel_at !== null;
      subscription.canceled_at = isEnding ? this.world.now : null;
    }
    if (params.discounts) subscription.discounts = this.couponsOf(params.discounts);
    const { default_payment_method: card } = params;
    if (card !== undefined) subscription.default_payment_method = card || null;
    Object.assign(subscription.payment_settings, params.payment_settings);
    if (params.items) this.change(subscription, params);
    this.world.emit('v1.customer.subscription.updated', subscription);
    return subscription;
  }

  /** `GET /v1/subscriptions`: lists the subscriptions of a customer that are not cancelled. */
  list({ customer, ...page }: Form): ListOf<Subscription> {
    const found = this.world
      .all('subscription')
      .filter((one) => one.customer === customer && one.status !== 'canceled');
    return listed('/v1/subscriptions', found, page);
  }

  /** `DELETE /v1/subscriptions/{id}`: cancels at once. */
  cancel(id: string): Subscription {
    const subscription = this.world.get('subscription', id);
    if (ENDED.includes(subscription.status)) throw StripeRefusal.missing('subscription', id);
    this.end(subscription);
    return subscription;
  }

  /** `POST /v1/invoices/create_preview`. */
  preview(params: Stripe.InvoiceCreatePreviewParams): Invoice {
    const subscription = this.running(String(params.subscription));
    const [wanted] = params.subscription_details?.items ?? [];
    const item = this.wantedItem(subscription, wanted ?? {});
    const at = Number(params.subscription_details?.proration_date ?? this.world.now);
    return this.invoices.draft(
      subscription,
      'subscription_update',
      proration(subscription, item, at),
    );
  }

  /** Handles an invoice that was paid later than at its first attempt. */
  onPaid(invoice: Invoice): void {
    const subscription = this.ofInvoice(invoice);
    if (subscription.latest_invoice !== invoice.id || ENDED.includes(subscription.status)) return;
    if (subscription.pending_update !== null) this.applyPending(subscription);
    else subscription.status = 'active';
    this.world.emit('v1.customer.subscription.updated', subscription);
  }

  ofInvoice({ parent }: Invoice): Subscription {
    return this.world.get('subscription', parent.subscription_details.subscription);
  }

  running(id: string): Subscription {
    const subscription = this.world.get('subscription', id);
    if (!ENDED.includes(subscription.status)) return subscription;
    const message =
      'A canceled subscription can only update its cancellation_details and metadata.';
    throw StripeRefusal.invalid(undefined, message);
  }

  private change(subscription: Subscription, params: Stripe.SubscriptionUpdateParams): void {
    const [current] = subscription.items.data;
    const item = this.wantedItem(subscription, params.items![0]);
    if (params.proration_behavior === 'none') {
      subscription.items = listOf([{ ...current, ...item }]);
      return;
    }
    const at = Number(params.proration_date ?? this.world.now);
    const billed = proration(subscription, item, at);
    const invoice = this.invoices.store(
      this.invoices.draft(subscription, 'subscription_update', billed),
    );
    subscription.latest_invoice = invoice.id;
    const pending = { ...current, ...item };
    if (this.invoices.attempt(invoice)) {
      subscription.items = listOf([pending]);
      return;
    }
    this.invoices.leaveOpen(invoice);
    const latestMs = this.world.clock.now().getTime() + PENDING_UPDATE_MS;
    const expiresAt = new Date(Math.min(latestMs, current.current_period_end * 1000));
    subscription.pending_update = {
      expires_at: seconds(expiresAt),
      subscription_items: [pending],
    };
    this.world.clock.at(expiresAt, () => {
      if (subscription.pending_update?.expires_at !== seconds(expiresAt)) return;
      this.giveUp(subscription, invoice);
    });
  }

  /** `POST /v1/invoices/{id}/void`: also discards the update that was waiting for the payment. */
  void(id: string): Invoice {
    const invoice = this.invoices.open(id);
    const subscription = this.ofInvoice(invoice);
    const isPending = subscription.pending_update !== null;
    if (isPending && subscription.latest_invoice === id) this.giveUp(subscription, invoice);
    else this.invoices.void(invoice);
    return invoice;
  }

  private giveUp(subscription: Subscription, invoice: Invoice): void {
    subscription.pending_update = null;
    this.invoices.void(invoice);
    this.world.emit('v1.customer.subscription.pending_update_expired', subscription);
  }

  private couponsOf(discounts: Stripe.SubscriptionUpdateParams['discounts']): string[] {
    return (discounts || []).map(({ coupon }) => this.world.get('coupon', coupon).id);
  }

  private applyPending(subscription: Subscription): void {
    const { pending_update: pending } = subscription;
    if (!pending) return;
    subscription.items = listOf(pending.subscription_items);
    subscription.pending_update = null;
    this.world.emit('v1.customer.subscription.pending_update_applied', subscription);
  }

  private wantedItem(
    subscription: Subscription,
    wanted: { price?: string; quantity?: number },
  ): WantedItem & { id: string; subscription: string } {
    const [current] = subscription.items.data;
    return {
      id: current.id,
      subscription: subscription.id,
      price: wanted.price ? this.world.get('price', wanted.price) : current.price,
      quantity: wanted.quantity ?? current.quantity,
    };
  }

  private renew(subscription: Subscription, endedAt: number): void {
    const [item] = subscription.items.data;
    if (ENDED.includes(subscription.status) || item.current_period_end !== endedAt) return;
    const isPhaseEnd = subscription.schedule !== null;
    const isCancelled = subscription.cancel_at === endedAt && !isPhaseEnd;
    const isEnding = subscription.cancel_at_period_end || isCancelled;
    if (isEnding || subscription.status === 'unpaid') {
      this.end(subscription);
      return;
    }
    const reason = this.enterPhase(subscription, endedAt);
    this.nextPeriod(subscription);
    const invoice = reason && this.billPeriod(subscription, reason);
    if (invoice && !this.invoices.attempt(invoice)) {
      subscription.status = 'past_due';
      this.retryLater(subscription, invoice);
    }
    this.world.emit('v1.customer.subscription.updated', subscription);
  }

  private retryLater(subscription: Subscription, invoice: Invoice): void {
    const at = invoice.next_payment_attempt;
    if (at === null) {
      subscription.status = 'unpaid';
      return;
    }
    this.world.clock.at(new Date(at * 1000), () => {
      if (invoice.status !== 'open' || ENDED.includes(subscription.status)) return;
      if (this.invoices.attempt(invoice)) {
        this.onPaid(invoice);
        return;
      }
      this.retryLater(subscription, invoice);
      this.world.emit('v1.customer.subscription.updated', subscription);
    });
  }

  /**
   * Enters the phase that begins now, which may have other items. The schedule is released, because its last phase has
   * begun.
   * @returns the reason for the new period's invoice. Without prorations, Stripe makes no invoice if the interval
   *   changes and the phase does not reset the billing cycle.
   */
  private enterPhase(subscription: Subscription, at: number): PeriodReason | undefined {
    if (subscription.schedule === null) return 'subscription_cycle';
    const schedule = this.world.get('subscription_schedule', subscription.schedule);
    const phase = schedule.phases.find(({ start_date }) => start_date === at);
    if (!phase) return 'subscription_cycle';
    const [current] = subscription.items.data;
    const item = this.followPhase(subscription, phase);
    const isReset = phase.billing_cycle_anchor === 'phase_start';
    if (isReset) subscription.billing_cycle_anchor = at;
    subscription.schedule = null;
    subscription.cancel_at = null;
    schedule.status = 'released';
    this.world.emit('v1.subscription_schedule.released', schedule);
    if (isReset) return 'subscription_update';
    const isSame = item.price.recurring?.interval === current.price.recurring?.interval;
    return isSame ? 'subscription_cycle' : undefined;
  }

  /** Gives a subscription the items, the card and the discounts of a phase. @returns the new item. */
  followPhase(
    subscription: Subscription,
    { items, default_payment_method: card, discounts }: SubscriptionSchedule['phases'][number],
  ): SubscriptionItem {
    const [current] = subscription.items.data;
    const [{ price, quantity }] = items;
    const item = { ...current, price: this.world.get('price', price), quantity };
    subscription.items = listOf([item]);
    subscription.default_payment_method = card;
    subscription.discounts = discounts;
    return item;
  }

  /** Ends a subscription. Its open bills are no longer charged, but customers can still pay them. */
  private end(subscription: Subscription): void {
    subscription.status = 'canceled';
    subscription.ended_at = this.world.now;
    this.world.emit('v1.customer.subscription.deleted', subscription);
  }

  private billPeriod(
    subscription: Subscription,
    reason: 'subscription_create' | PeriodReason,
  ): Invoice {
    const [item] = subscription.items.data;
    const billed: BilledItem = {
      item,
      amount: amountOf(item),
      from: item.current_period_start,
      to: item.current_period_end,
      isProration: false,
    };
    const invoice = this.invoices.store(this.invoices.draft(subscription, reason, [billed]));
    subscription.latest_invoice = invoice.id;
    return invoice;
  }

  /** Starts the next period. Periods are counted from the anchor's day of the month, even after shorter months. */
  private nextPeriod(subscription: Subscription): void {
    const [item] = subscription.items.data;
    const anchor = new Date(subscription.billing_cycle_anchor * 1000);
    const months = item.price.recurring?.interval === 'year' ? 12 : 1;
    const start = item.current_period_end;
    let step = months;
    while (seconds(addMonths(anchor, step)) <= start) step += months;
    const end = seconds(addMonths(anchor, step));
    item.current_period_start = start;
    item.current_period_end = end;
    this.world.clock.at(new Date(end * 1000), () => this.renew(subscription, end));
  }

  private itemOf(
    subscription: string,
    { price, quantity }: WantedItem,
    start: number,
    end: number,
  ): SubscriptionItem {
    return {
      id: this.world.newId('si'),
      object: 'subscription_item',
      created: start,
      current_period_start: start,
      current_period_end: end,
      price,
      quantity,
      subscription,
    };
  }
}

const amountOf = ({ price, quantity }: WantedItem) => (price.unit_amount ?? 0) * quantity;

/** Returns the proration for the rest of the current period: a credit for the old item and a charge for the new one. */
function proration(
  subscription: Subscription,
  wanted: WantedItem & { id: string; subscription: string },
  at: number,
): BilledItem[] {
  const [current] = subscription.items.data;
  const { current_period_start: start, current_period_end: to } = current;
  const share = (to - at) / (to - start);
  const part = { from: at, to, isProration: true };
  return [
    { item: current, amount: -Math.round(amountOf(current) * share), ...part },
    { item: wanted, amount: Math.round(amountOf(wanted) * share), ...part },
  ];
}
