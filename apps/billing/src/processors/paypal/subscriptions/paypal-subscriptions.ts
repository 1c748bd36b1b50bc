import type { SubscriptionState } from '#libs/contracts';
import { type Clock, DAY_MS, type Micros, crashPoint } from '#libs/platform';
import type {
  CheckoutLine,
  CheckoutRequest,
  CheckoutSnapshot,
  CreatedCheckout,
  SubscriptionSnapshot,
} from '../../payment-processor.js';
import { UnfitObject } from '../../unfit-object.js';
import { PaypalRefusal } from '../paypal-connection.js';
import { idOf, linkOf, microsOf, timeOf } from '../paypal-objects.js';
import { periodAt } from './billing-period.js';
import {
  type KnownSubscription,
  type KnownSubscriptions,
  billedPlan,
  hasFailed,
  isPaidSince,
  isRunning,
  isSameOffer,
  priceOf,
} from './known-subscription.js';
import type { PaidChanges } from './paid-changes.js';
import type { PaypalPlans } from './paypal-plans.js';
import { type SubscriptionMark, toCustomId } from './subscription-mark.js';
import type { PaypalSubscription, SubscriptionsClient } from './subscriptions-client.js';

export interface PaypalSubscriptionsParts {
  client: SubscriptionsClient;
  plans: PaypalPlans;
  known: KnownSubscriptions;
  changes: PaidChanges;
  clock: Clock;
}

/** How far the search for the latest payment looks back: longer than the longest period. */
const LOOK_BACK_MS = 400 * DAY_MS;
/** How long after its start a subscription may be paid for the first time: the time of all attempts, plus a day. */
const FIRST_PAYMENT_MS = 11 * DAY_MS;
const PAID_STATUSES = ['COMPLETED', 'PARTIALLY_REFUNDED', 'REFUNDED'];
const BY_CUSTOMER = 'The customer requested it';
const BY_US = 'It has ended';

/**
 * Reads and changes subscriptions. Each subscription is for one plan. A subscription that its customer cancels is
 * suspended until the end of the period.
 */
export class PaypalSubscriptions {
  constructor(private readonly parts: PaypalSubscriptionsParts) {}

  /** Opens the page where the customer agrees to be billed. */
  async create(request: CheckoutRequest, line: Required<CheckoutLine>): Promise<CreatedCheckout> {
    const { orderId, accountId, currency, expiresAt, successUrl, cancelUrl } = request;
    const { plan, quantity } = line;
    const { id: planId } = await this.parts.plans.find(plan, currency);
    const mark: SubscriptionMark = {
      orderId,
      isEnding: false,
      isUndoing: false,
      until: expiresAt,
      anchor: null,
      running: billedPlan({ ...plan, quantity }),
      changeOrderId: null,
      taxPpm: null,
    };
    const created = await this.parts.client.create(
      {
        plan_id: planId,
        quantity: String(quantity),
        custom_id: toCustomId(mark),
        application_context: {
          shipping_preference: 'NO_SHIPPING',
          payment_method: { payee_preferred: 'IMMEDIATE_PAYMENT_REQUIRED' },
          user_action: 'SUBSCRIBE_NOW',
          return_url: successUrl,
          cancel_url: cancelUrl,
        },
      },
      `order:${orderId}:checkout`,
    );
    const redirectUrl = linkOf(created.links, 'approve') ?? '';
    return { checkoutId: idOf(created.id), customerId: accountId, redirectUrl };
  }

  async fetchCheckout(id: string): Promise<CheckoutSnapshot> {
    const known = await this.parts.known.read(id);
    const { subscription, mark, next, former } = known;
    const isPaid = subscription.billing_info?.last_payment !== undefined;
    const state = isPaid ? 'paid' : this.unpaidState(known);
    const first = isPaid ? await this.firstPayment(known) : undefined;
    return {
      kind: 'checkout',
      id,
      orderId: mark.orderId,
      state,
      // The first payment counts, even if the plan has changed in the meantime.
      amountMicros: first ?? priceOf(former),
      currency: next.currency,
      ...(isPaid && { subscriptionId: id }),
    };
  }

  async fetch(id: string): Promise<SubscriptionSnapshot> {
    return this.snapshot(await this.parts.known.read(id));
  }

  /**
   * Cancels a subscription at once or at the end of its period. Even with `period_end`, it ends at once if its current
   * period is not paid, or if it is suspended for a reason other than a cancellation, because PayPal would bill such a
   * subscription again if it were resumed at PayPal.
   */
  async cancel(id: string, when: 'period_end' | 'now'): Promise<SubscriptionSnapshot> {
    const { client, known } = this.parts;
    const { subscription, period, mark, running, next, anchor } = await known.read(id);
    const { status } = subscription;
    if (when === 'now') {
      if (status === 'ACTIVE' || status === 'SUSPENDED') await client.cancel(id, BY_US);
    } else if (status === 'SUSPENDED' && !mark.isEnding) {
      await client.cancel(id, BY_CUSTOMER);
    } else if (status === 'ACTIVE' && !isPaidSince(subscription, period.start)) {
      await client.cancel(id, BY_CUSTOMER);
    } else if (status === 'ACTIVE') {
      // PayPal may have billed the next period early; that period is then the last one.
      const isNextPaid = isSameOffer(running, next) && isPaidSince(subscription, period.end);
      const last = isNextPaid ? periodAt(anchor, running.interval, period.end) : period;
      const ending = { ...mark, isEnding: true, isUndoing: false, until: last.end, anchor };
      await this.putMark(id, { ...ending, running: billedPlan(running) });
      await client.suspend(id, BY_CUSTOMER);
    }
    return this.fetch(id);
  }

  /**
   * Resumes a cancelled subscription.
   * @throws PaypalRefusal if the subscription has ended or was suspended without a cancellation, if
   *   only the customer can undo its change, or if PayPal does not bill the next period; in the
   *   last case it is suspended again.
   */
  async resume(id: string): Promise<SubscriptionSnapshot> {
    const { client, known, clock } = this.parts;
    const { subscription, mark, running, next } = await known.read(id);
    const hasEnded = mark.isEnding && mark.until <= clock.now();
    if (subscription.status === 'CANCELLED' || subscription.status === 'EXPIRED' || hasEnded) {
      throw new PaypalRefusal(422, 'SUBSCRIPTION_ENDED', 'The subscription has ended.');
    }
    if (subscription.status === 'SUSPENDED') {
      if (!mark.isEnding) {
        throw new PaypalRefusal(
          422,
          'PAUSED_AT_PAYPAL',
          'The subscription was suspended, but not by a cancellation.',
        );
      }
      // The mark is written first, so that any later fetch completes the undoing if the process dies after the
      // activation.
      await this.putMark(id, { ...mark, isUndoing: true });
      await client.activate(id, BY_CUSTOMER);
      crashPoint('resume.after-activation');
    } else if (!isSameOffer(running, next)) {
      throw new PaypalRefusal(422, 'APPROVAL_NEEDED', 'The customer undoes a change at PayPal.');
    }
    const resumed = await this.fetch(id);
    if (resumed.cancelAt === null) return resumed;
    throw new PaypalRefusal(422, 'PERIOD_PASSED_OVER', 'PayPal does not bill the next period.');
  }

  /**
   * Completes the undoing of a cancellation. PayPal bills up to a day before a period ends and skips a subscription
   * that is suspended then, so the next period would begin unpaid and stay unpaid. Only an active subscription shows
   * that PayPal will skip the period; such a subscription is suspended again.
   */
  private async completeUndoing(known: KnownSubscription): Promise<KnownSubscription> {
    const { id, subscription, mark, period } = known;
    if (!mark.isUndoing || subscription.status !== 'ACTIVE') return known;
    const periodMs = period.end.getTime() - period.start.getTime();
    const isEnding = isPassedOver(subscription, mark.until, periodMs);
    if (isEnding) await this.parts.client.suspend(id, BY_CUSTOMER);
    await this.putMark(id, { ...mark, isEnding, isUndoing: false });
    return this.parts.known.read(id);
  }

  private async firstPayment({ id, start }: KnownSubscription): Promise<Micros | undefined> {
    const from = new Date(start.getTime() - DAY_MS);
    const to = new Date(start.getTime() + FIRST_PAYMENT_MS);
    const sales = await this.parts.client.listTransactions(id, from, to);
    const [first] = sales
      .filter(({ status }) => PAID_STATUSES.includes(status ?? ''))
      .toSorted((a, b) => timeOf(a.time).getTime() - timeOf(b.time).getTime());
    return first && microsOf(first.amount_with_breakdown?.gross_amount);
  }

  private async putMark(id: string, mark: SubscriptionMark): Promise<void> {
    const value = toCustomId(mark);
    await this.parts.client.patch(id, [{ op: 'replace', path: '/custom_id', value }]);
  }

  private unpaidState({ subscription, mark }: KnownSubscription): CheckoutSnapshot['state'] {
    switch (subscription.status) {
      case 'APPROVAL_PENDING':
        return mark.until <= this.parts.clock.now() ? 'expired' : 'open';
      case 'CANCELLED':
      case 'EXPIRED':
        return 'expired';
      case 'SUSPENDED':
        return 'failed';
      default:
        return 'processing';
    }
  }

  /**
   * Returns the snapshot, after the due steps: completes the undoing of a cancellation, captures
   * the money of an approved change, ends a cancelled subscription.
   */
  private async snapshot(read: KnownSubscription): Promise<SubscriptionSnapshot> {
    const { known, clock, client, changes } = this.parts;
    const found = await this.completeUndoing(read);
    const settled = await changes.settle(found);
    const current = settled === 'settled' ? await known.read(found.id) : found;
    const { id, subscription, mark, next, running, period } = current;
    const isEnding = mark.isEnding && subscription.status === 'SUSPENDED';
    const hasEnded = isEnding && mark.until <= clock.now();
    if (hasEnded) await client.cancel(id, BY_US);
    const goesOn = isRunning(current) && !hasEnded;
    return {
      kind: 'subscription',
      id,
      orderId: mark.orderId,
      state: hasEnded ? 'cancelled' : stateOf(current),
      ...billedPlan(running),
      currency: next.currency,
      periodStart: period.start,
      periodEnd: period.end,
      cancelAt: isEnding && !hasEnded ? mark.until : null,
      // A new tax rate is not a change that the customer requested.
      pendingChange: goesOn && !isSameOffer(running, next) ? billedPlan(next) : null,
      unpaidChange: goesOn ? await changes.unpaid(current, settled === 'declined') : null,
      ...(settled instanceof PaypalRefusal && { notTakenBecause: textOf(settled) }),
      ...(await this.bills(current)),
    };
  }

  /**
   * Reads the bills. After a failed payment, there is no latest bill, because PayPal names a bill only once it is paid.
   */
  private async bills(
    current: KnownSubscription,
  ): Promise<Pick<SubscriptionSnapshot, 'latestBill' | 'paidChangeId'>> {
    const { id, subscription, start } = current;
    const change = await this.parts.changes.paidBill(current);
    const paidChangeId = change?.id;
    if (hasFailed(subscription) || !subscription.billing_info?.last_payment) {
      return { latestBill: null, paidChangeId };
    }
    const now = this.parts.clock.now();
    const from = new Date(Math.max(start.getTime() - DAY_MS, now.getTime() - LOOK_BACK_MS));
    const sales = await this.parts.client.listTransactions(id, from, now);
    const bills = sales
      .filter(({ status }) => PAID_STATUSES.includes(status ?? ''))
      .map((sale) => ({ id: idOf(sale.id), at: timeOf(sale.time) }));
    // Of two payments in the same second, the one for the change counts as the later one.
    const [latest] = [...(change ? [change] : []), ...bills].toSorted(
      (a, b) => b.at.getTime() - a.at.getTime(),
    );
    return { latestBill: latest ? { id: latest.id, isPaid: true } : null, paidChangeId };
  }
}

const textOf = ({ issue, message }: PaypalRefusal) => `${issue}: ${message}`;

/**
 * Whether PayPal has not billed the period that begins at `start` and will not bill it. PayPal may bill some days late:
 * a plan that began on the 29th to 31st is billed on the 1st.
 */
function isPassedOver(subscription: PaypalSubscription, start: Date, periodMs: number): boolean {
  const next = subscription.billing_info?.next_billing_time;
  if (isPaidSince(subscription, start) || hasFailed(subscription) || next === undefined) {
    return false;
  }
  return timeOf(next).getTime() > start.getTime() + periodMs / 2;
}

/**
 * Returns the state. A suspended subscription was cancelled by its customer, was not paid, or was paused at PayPal.
 * @throws UnfitObject for an unknown status.
 */
function stateOf({ id, subscription, mark }: KnownSubscription): SubscriptionState {
  const { status = '', billing_info: billing } = subscription;
  switch (status) {
    case 'APPROVAL_PENDING':
    case 'APPROVED':
      return 'incomplete';
    case 'ACTIVE':
      if (hasFailed(subscription)) return 'past_due';
      return billing?.last_payment ? 'active' : 'incomplete';
    case 'SUSPENDED':
      if (mark.isEnding) return 'active';
      return hasFailed(subscription) ? 'unpaid' : 'paused';
    case 'CANCELLED':
    case 'EXPIRED':
      return 'cancelled';
    default:
      throw new UnfitObject(`the subscription ${id} is ${status.slice(0, 40)}`);
  }
}
