import { type Clock, HOUR_MS, type Micros, SECOND_MS, shareOfMoney } from '#libs/platform';
import {
  CHANGE_BEING_PAID,
  type BillLine,
  type BillSnapshot,
  type ChangeRequest,
  type ChangeResult,
  type UnpaidChange,
  type UpgradeRequest,
  type UpgradeResult,
} from '../../payment-processor.js';
import { UnfitObject } from '../../unfit-object.js';
import type { PaypalClient } from '../paypal-client.js';
import { planNameOf } from '../../tax-at-processors.js';
import { PaypalRefusal } from '../paypal-connection.js';
import { type PaypalOrder, idOf, linkOf, microsOf, timeOf, toMoney } from '../paypal-objects.js';
import { pageOf, paymentRequest } from '../paypal-orders.js';
import { isDecided, isDeclined } from '../paypal-result.js';
import { periodAt } from './billing-period.js';
import { captureOf, isReviewed, isTaken, paidAt } from './change-payment.js';
import {
  changeOrderOf,
  toChangeBillId,
  toChangeId,
  toChangeReference,
} from './change-reference.js';
import {
  type KnownSubscription,
  type KnownSubscriptions,
  type PlannedUnits,
  billedPlan,
  isRunning,
  isSameOffer,
  isSamePlan,
  priceOf,
} from './known-subscription.js';
import type { PaypalPlans } from './paypal-plans.js';
import { type SubscriptionMark, toCustomId } from './subscription-mark.js';
import type { SubscriptionsClient } from './subscriptions-client.js';

export interface PaidChangesParts {
  client: SubscriptionsClient;
  orders: PaypalClient;
  plans: PaypalPlans;
  known: KnownSubscriptions;
  clock: Clock;
  returnUrl: string;
}

/** States in which an order's money has not been taken but may still be taken. */
const WAITING_STATUSES = ['CREATED', 'SAVED', 'APPROVED', 'PAYER_ACTION_REQUIRED'];
/** After this time, PayPal deletes an order that was not approved. */
const ORDER_MS = 3 * HOUR_MS;
/** The path of the price of a subscription's only billing cycle, which overrides the price of the plan. */
const PRICE_PATH = '/plan/billing_cycles/@sequence==1/pricing_scheme/fixed_price';

/**
 * Makes plan changes. PayPal changes plans from the next period on, after the customer's consent, and has no proration:
 * the difference is paid by a separate order, whose page follows the consent page. The order is captured only after the
 * consent, so that nothing has to be refunded.
 */
export class PaidChanges {
  constructor(private readonly parts: PaidChangesParts) {}

  async preview(request: ChangeRequest, from: Date): Promise<{ dueMicros: Micros }> {
    const { currency, subscriptionId, plan } = request;
    const known = await this.parts.known.read(subscriptionId);
    const wanted = { ...(await this.parts.plans.find(plan, currency)), quantity: request.quantity };
    return { dueMicros: dueOf(linesOf(known, { old: known.running, wanted, from })) };
  }

  async upgrade(request: UpgradeRequest): Promise<UpgradeResult> {
    const { subscriptionId, changeId, from, currency, plan, quantity } = request;
    const known = await this.parts.known.read(subscriptionId);
    const wanted = { ...(await this.parts.plans.find(plan, currency)), quantity };
    if (isSamePlan(known.running, wanted)) return { state: 'paid' };
    const due = dueOf(linesOf(known, { old: known.running, wanted, from }));
    if (due === 0n) return this.upgradeForNothing(request);
    const reference = { subscriptionId, old: known.running, wanted, from };
    const order = await this.parts.orders.createOrder(
      paymentRequest({
        customId: toChangeId(reference),
        currency,
        lines: [
          { name: planNameOf(plan), quantity: 1, amountMicros: due, taxMicros: 0n, taxPpm: 0 },
        ],
        successUrl: this.parts.returnUrl,
        cancelUrl: cancelUrl(this.parts.returnUrl),
      }),
      `change:${changeId}`,
    );
    if (microsOf(order.purchase_units?.[0]?.amount) !== due) {
      throw new UnfitObject(`the order ${String(order.id)} has a different amount`);
    }
    await this.replace(known, { changeOrderId: idOf(order.id) });
    const redirectUrl = isSamePlan(known.next, wanted)
      ? pageOf(order)
      : await this.revise(known, wanted, pageOf(order));
    return { state: 'payment_required', redirectUrl };
  }

  /**
   * Changes the plan when the period ends: its rest is too short to cost anything, and PayPal has no orders without an
   * amount.
   */
  private async upgradeForNothing(request: UpgradeRequest): Promise<UpgradeResult> {
    const changed = await this.changeAtPeriodEnd(request);
    if (changed.state === 'scheduled') return { state: 'paid' };
    return { state: 'payment_required', redirectUrl: changed.redirectUrl };
  }

  async changeAtPeriodEnd(request: ChangeRequest): Promise<ChangeResult> {
    const { subscriptionId, plan, quantity, currency } = request;
    const known = await this.parts.known.read(subscriptionId);
    const wanted = { ...(await this.parts.plans.find(plan, currency)), quantity };
    const paid = await this.paidBill(known);
    await this.replace(known, { changeOrderId: paid ? known.mark.changeOrderId : null });
    if (isSamePlan(known.next, wanted)) return { state: 'scheduled' };
    const redirectUrl = await this.revise(known, wanted, this.parts.returnUrl);
    return { state: 'approval_required', redirectUrl };
  }

  /** Applies a plan until the period ends. The next bill is for the plan that the customer has approved. */
  async setPlan(request: ChangeRequest): Promise<void> {
    const { subscriptionId, plan, quantity, currency } = request;
    const known = await this.parts.known.read(subscriptionId);
    const wanted = { ...(await this.parts.plans.find(plan, currency)), quantity };
    await this.putMark(known, { running: billedPlan(wanted), changeOrderId: null });
  }

  /**
   * Bills the same plan with another tax rate from the next period on, without the customer's consent. PayPal does not
   * apply a new price to renewals within the next 10 days.
   * @throws PaypalRefusal if another plan has been scheduled in the meantime.
   */
  async changeTax({ subscriptionId, plan, quantity, currency }: ChangeRequest): Promise<void> {
    const known = await this.parts.known.read(subscriptionId);
    const wanted = { ...(await this.parts.plans.find(plan, currency)), quantity };
    if (isSamePlan(known.next, wanted)) return;
    if (!isSameOffer(known.next, wanted)) {
      throw new PaypalRefusal(422, 'PLAN_CHANGED', 'The subscription changes to another plan.');
    }
    await this.parts.client.patch(subscriptionId, [
      { op: 'replace', path: '/custom_id', value: customIdOf(known, { taxPpm: plan.taxPpm }) },
      { op: 'replace', path: PRICE_PATH, value: toMoney(wanted.unitMicros, currency) },
    ]);
  }

  /**
   * Captures the money of a change that the customer has approved on both pages, and records that
   * the new plan is in force.
   * @returns `declined` if the payment was declined; a refusal if PayPal does not take an approved payment for another
   *   reason, such as a restriction of the operator's account; `nothing` if there is no such change, or its period is
   *   over.
   */
  async settle(
    known: KnownSubscription,
  ): Promise<'settled' | 'declined' | 'nothing' | PaypalRefusal> {
    const { mark, next, former } = known;
    if (mark.changeOrderId === null || !isRunning(known)) return 'nothing';
    if (this.parts.clock.now() >= mark.until) return 'nothing';
    let order = await this.findOrder(mark.changeOrderId);
    const change = toChangeReference(order?.purchase_units?.[0]?.custom_id);
    if (!order || !change || !isSamePlan(former, change.old) || !isSameOffer(next, change.wanted))
      return 'nothing';
    if (order.status === 'APPROVED') {
      const refusal = await this.capture(order);
      if (refusal && isDeclined(refusal)) return 'declined';
      // A refusal may mean that another call has just taken the money.
      order = await this.parts.orders.getOrder(mark.changeOrderId);
      if (refusal && order.status === 'APPROVED') return refusal;
    }
    if (!paidAt(order)) return 'nothing';
    await this.putMark(known, { running: change.wanted });
    return 'settled';
  }

  /**
   * Returns the latest change, unless it is in force or can no longer be paid. `isDeclined`: the payment was just
   * declined.
   */
  async unpaid(known: KnownSubscription, isDeclined: boolean): Promise<UnpaidChange | null> {
    const { mark, running, next } = known;
    const now = this.parts.clock.now();
    if (mark.changeOrderId === null || now >= mark.until) return null;
    const order = await this.findOrder(mark.changeOrderId);
    const [unit = {}] = order?.purchase_units ?? [];
    const change = toChangeReference(unit.custom_id);
    const isMoneyTaken = isTaken(order);
    const isWaiting = isMoneyTaken || WAITING_STATUSES.includes(order?.status ?? '');
    if (!order || !change || !isWaiting || isSameOffer(running, change.wanted)) return null;
    const forgottenMs = isMoneyTaken ? Infinity : change.from.getTime() + ORDER_MS;
    return {
      ...billedPlan(change.wanted),
      dueMicros: microsOf(unit.amount),
      pageUrl: !isMoneyTaken && isSameOffer(next, change.wanted) ? pageOf(order) : '',
      until: new Date(Math.min(mark.until.getTime(), forgottenMs)),
      isDeclined,
    };
  }

  /** Drops the latest change: its order is never captured. The approved next plan stays. @throws as `replace` does. */
  async drop(subscriptionId: string): Promise<void> {
    await this.replace(await this.parts.known.read(subscriptionId), { changeOrderId: null });
  }

  /**
   * Replaces the order of the latest change with another order, or removes it. An order whose money is taken stays;
   * otherwise that money would be paid for nothing, and the next order would be paid as well.
   * @throws PaypalRefusal `CHANGE_BEING_PAID`.
   */
  private async replace(
    known: KnownSubscription,
    change: Pick<SubscriptionMark, 'changeOrderId'>,
  ): Promise<void> {
    const { changeOrderId } = known.mark;
    if (!(await this.isBeingPaid(known))) {
      await this.putMark(known, change);
      // A fetch may have captured the order since the mark was read.
      if (changeOrderId === change.changeOrderId || !(await this.isBeingPaid(known))) return;
      await this.putMark(known, { changeOrderId });
    }
    throw new PaypalRefusal(
      422,
      CHANGE_BEING_PAID.toUpperCase(),
      'The payment of an earlier change is in progress.',
    );
  }

  /** Whether the latest change is paid, or its payment is under review, but the change is not yet in force. */
  private async isBeingPaid({ mark, running, period }: KnownSubscription): Promise<boolean> {
    const order =
      mark.changeOrderId === null ? undefined : await this.findOrder(mark.changeOrderId);
    const change = toChangeReference(order?.purchase_units?.[0]?.custom_id);
    // The payment of a change may still arrive after another period has begun.
    if (change && isReviewed(order)) return true;
    const isOfPeriod =
      change && wholeSecond(period.start) <= change.from && change.from < period.end;
    return isOfPeriod === true && !isSameOffer(running, change.wanted) && isTaken(order);
  }

  /** Returns the bill of the latest change; undefined until the bill is paid. */
  async paidBill({ mark }: KnownSubscription): Promise<{ id: string; at: Date } | undefined> {
    if (mark.changeOrderId === null) return undefined;
    const order = await this.findOrder(mark.changeOrderId);
    const at = order && paidAt(order);
    return at && { id: toChangeBillId(mark.changeOrderId), at };
  }

  /** Returns the plan before the latest change, if any. Once the new plan is paid, only the change's order names it. */
  async planBefore({ mark, next }: KnownSubscription): Promise<PlannedUnits | undefined> {
    if (mark.changeOrderId === null) return undefined;
    const order = await this.findOrder(mark.changeOrderId);
    const change = toChangeReference(order?.purchase_units?.[0]?.custom_id);
    return change && this.parts.known.named(change.old, next);
  }

  /**
   * Returns the bill of a change by its id; undefined for an id of another kind.
   * @throws UnfitObject if the order is not for a change, or has a different amount.
   */
  async fetchBill(id: string): Promise<BillSnapshot | undefined> {
    const orderId = changeOrderOf(id);
    if (orderId === undefined) return undefined;
    const order = await this.parts.orders.getOrder(orderId);
    const [unit = {}] = order.purchase_units ?? [];
    const change = toChangeReference(unit.custom_id);
    if (!change) throw new UnfitObject(`the order ${id} changes no plan`);
    const known = await this.parts.known.read(change.subscriptionId);
    const { currency } = known.next;
    const old = await this.parts.known.named(change.old, known.next);
    const wanted = await this.parts.known.named(change.wanted, known.next);
    const lines = linesOf(known, { old, wanted, from: change.from });
    if (microsOf(unit.amount) !== dueOf(lines)) {
      throw new UnfitObject(`the order ${id} has a different amount`);
    }
    const capture = unit.payments?.captures?.at(-1);
    const isPaid = paidAt(order) !== undefined;
    return {
      kind: 'bill',
      id,
      subscriptionId: change.subscriptionId,
      reason: 'change',
      state: isPaid ? 'paid' : 'open',
      paymentId: isPaid ? idOf(capture?.id) : null,
      amountMicros: dueOf(lines),
      currency,
      lines,
      ...(isPaid && this.isTooLate(known, order, { ...change, wanted }) && { isTooLate: true }),
    };
  }

  /** Whether the money arrived after the period, for example because PayPal reviewed the payment for weeks. */
  private isTooLate(
    { mark, anchor }: KnownSubscription,
    order: PaypalOrder,
    { wanted, from }: { wanted: PlannedUnits; from: Date },
  ): boolean {
    const { create_time: taken, status, update_time: changed } = captureOf(order) ?? {};
    const { end } = periodAt(anchor, wanted.interval, from);
    const now = this.parts.clock.now();
    const isWhole = status === 'COMPLETED';
    if (timeOf(isWhole ? (changed ?? taken) : taken) >= end) return true;
    const isInForce = isSameOffer(mark.running, wanted);
    if (!isWhole && end <= now) {
      // A refund has overwritten the time at which the money arrived, so the mark decides: the change was in time only
      // if it was in force at the end of its period. If the mark has been rewritten since, it cannot show this, and the
      // change counts as too late.
      const wasInForceAtEnd = isInForce && mark.until.getTime() === wholeSecond(end).getTime();
      return !wasInForceAtEnd;
    }
    const isOver = from < mark.until && mark.until <= now;
    return isOver && mark.changeOrderId === order.id && !isInForce;
  }

  /** Finds an order; undefined if PayPal has deleted it, as it does with unapproved orders after some hours. */
  private async findOrder(id: string): Promise<PaypalOrder | undefined> {
    try {
      return await this.parts.orders.getOrder(id);
    } catch (error) {
      if (error instanceof PaypalRefusal && error.status === 404) return undefined;
      throw error;
    }
  }

  private async capture({ id }: PaypalOrder): Promise<PaypalRefusal | undefined> {
    try {
      await this.parts.orders.captureOrder(idOf(id));
      return undefined;
    } catch (error) {
      if (!(error instanceof PaypalRefusal) || !isDecided(error)) throw error;
      return error;
    }
  }

  private async putMark(
    known: KnownSubscription,
    change: Partial<SubscriptionMark>,
  ): Promise<void> {
    const value = customIdOf(known, change);
    await this.parts.client.patch(known.id, [{ op: 'replace', path: '/custom_id', value }]);
  }

  /** Asks PayPal to change the plan. @returns the page where the customer agrees, which then leads to `nextUrl`. */
  private async revise(
    { id }: KnownSubscription,
    wanted: PlannedUnits,
    nextUrl: string,
  ): Promise<string> {
    const { links } = await this.parts.client.revise(id, {
      plan_id: wanted.id,
      quantity: String(wanted.quantity),
      application_context: {
        shipping_preference: 'NO_SHIPPING',
        payment_method: { payee_preferred: 'IMMEDIATE_PAYMENT_REQUIRED' },
        return_url: nextUrl,
        cancel_url: cancelUrl(this.parts.returnUrl),
      },
    });
    return linkOf(links, 'approve') ?? '';
  }
}

const cancelUrl = (returnUrl: string) => `${returnUrl}?cancelled=1`;

/** Returns our data on a subscription: its mark for the current period, with the change. */
function customIdOf(
  { mark, running, anchor, period }: KnownSubscription,
  change: Partial<SubscriptionMark>,
): string {
  // A cancelled subscription whose next period is also paid ends only after that period.
  const until = mark.isEnding && mark.until > period.end ? mark.until : period.end;
  return toCustomId({ ...mark, until, anchor, running: billedPlan(running), ...change });
}

/** Returns the lines that refund the rest of the period at the old price and charge it at the new price. */
function linesOf(
  { anchor }: KnownSubscription,
  { old, wanted, from }: { old: PlannedUnits; wanted: PlannedUnits; from: Date },
): BillLine[] {
  const { start, end: to } = periodAt(anchor, wanted.interval, from);
  const part = BigInt(to.getTime() - from.getTime());
  const whole = BigInt(to.getTime() - start.getTime());
  const share = (plan: PlannedUnits) => shareOfMoney(priceOf(plan), part, whole);
  return [
    { ...billedPlan(old), amountMicros: -share(old), from, to },
    { ...billedPlan(wanted), amountMicros: share(wanted), from, to },
  ];
}

const dueOf = (lines: readonly BillLine[]): Micros =>
  lines.reduce((sum, { amountMicros }) => sum + amountMicros, 0n);

/** Cuts a time to whole seconds, which references of changes use. */
const wholeSecond = (time: Date) => new Date(Math.floor(time.getTime() / SECOND_MS) * SECOND_MS);
