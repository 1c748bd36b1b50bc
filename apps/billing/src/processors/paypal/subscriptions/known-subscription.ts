import type { Clock, Micros } from '#libs/platform';
import type { BilledPlan } from '../../payment-processor.js';
import { UnfitObject } from '../../unfit-object.js';
import { idOf, timeOf } from '../paypal-objects.js';
import { type BillingPeriod, isPaidFrom, periodAt } from './billing-period.js';
import type { PaypalPlans, PricedPlan } from './paypal-plans.js';
import { type SubscriptionMark, toSubscriptionMark } from './subscription-mark.js';
import type { PaypalSubscription, SubscriptionsClient } from './subscriptions-client.js';

export interface PlannedUnits extends PricedPlan {
  quantity: number;
}

/** A subscription at PayPal, together with our mark on it. */
export interface KnownSubscription {
  id: string;
  subscription: PaypalSubscription;
  mark: SubscriptionMark;
  /** The plan of PayPal's next bill. */
  next: PlannedUnits;
  running: PlannedUnits;
  /** The plan in force before `mark.until`. */
  former: PlannedUnits;
  start: Date;
  /** The time from which periods are counted. */
  anchor: Date;
  /** The running period, or the last period if the subscription has ended or was suspended. */
  period: BillingPeriod;
}

const ENDED = ['CANCELLED', 'EXPIRED', 'SUSPENDED'];

/** Reads subscriptions. @throws UnfitObject for a subscription that is not ours. */
export class KnownSubscriptions {
  constructor(
    private readonly client: SubscriptionsClient,
    private readonly plans: PaypalPlans,
    private readonly clock: Clock,
  ) {}

  async read(id: string): Promise<KnownSubscription> {
    return this.judge(await this.client.get(id));
  }

  async judge(subscription: PaypalSubscription): Promise<KnownSubscription> {
    const id = idOf(subscription.id);
    const mark = toSubscriptionMark(subscription.custom_id);
    if (!mark) throw new UnfitObject(`the subscription ${id} is not one of ours`);
    const next = await this.billedNext(subscription, mark);
    const former = isSamePlan(next, mark.running) ? next : await this.named(mark.running, next);
    const now = this.clock.now();
    const at = lastMoment(subscription, mark, now);
    // If a subscription ended before `until`, its next plan has begun only if PayPal billed it early.
    const hasTurned =
      now >= mark.until && (at >= mark.until || isPaidSince(subscription, mark.until));
    const running = hasTurned ? next : former;
    const start = timeOf(subscription.start_time);
    // A change to another interval restarts the count of periods.
    const isTurned = running === next && former.interval !== next.interval;
    const anchor = isTurned ? mark.until : (mark.anchor ?? start);
    const period = periodAt(anchor, running.interval, at);
    return { id, subscription, mark, next, running, former, start, anchor, period };
  }

  /**
   * Returns the plan of PayPal's next bill. After a revision, PayPal bills the price of the new plan again, not the
   * subscription's own price.
   */
  private async billedNext(
    { plan_id: planId, quantity = '1', plan_overridden: isOverridden }: PaypalSubscription,
    { taxPpm }: SubscriptionMark,
  ): Promise<PlannedUnits> {
    const plan = await this.plans.get(idOf(planId));
    const own = { ...plan, quantity: Number(quantity) };
    return isOverridden && taxPpm !== null ? this.named({ ...own, taxPpm }, plan) : own;
  }

  /** Finds one of our plans by its name, at the price at which it was sold. */
  async named(plan: BilledPlan, { currency }: Pick<PricedPlan, 'currency'>): Promise<PlannedUnits> {
    return { ...(await this.plans.named(plan, currency)), quantity: plan.quantity };
  }
}

/** Whether the subscription can be changed: its customer has agreed to it, and it has not ended. */
export const isRunning = ({ subscription }: Pick<KnownSubscription, 'subscription'>) =>
  ['ACTIVE', 'SUSPENDED'].includes(subscription.status ?? '');

/** Whether the latest payment is for the period that begins at `start` or for a later period. */
export function isPaidSince({ billing_info: billing }: PaypalSubscription, start: Date): boolean {
  const last = billing?.last_payment?.time;
  return last !== undefined && isPaidFrom(start, timeOf(last));
}

/**
 * Whether the latest attempt to take a payment has failed. PayPal counts a failure only once its last attempt for a
 * period has failed, so until then only the times show it.
 */
export function hasFailed({ billing_info: billing = {} }: PaypalSubscription): boolean {
  const { failed_payments_count: failures = 0, last_failed_payment: failed } = billing;
  if (failures > 0 || !failed) return failures > 0;
  const paid = billing.last_payment;
  return !paid || timeOf(failed.time) > timeOf(paid.time);
}

export const isSameOffer = (a: BilledPlan, b: BilledPlan) =>
  a.sku === b.sku && a.quantity === b.quantity && a.catalogueVersion === b.catalogueVersion;

export const isSamePlan = (a: BilledPlan, b: BilledPlan) =>
  isSameOffer(a, b) && a.taxPpm === b.taxPpm;

export const priceOf = ({ unitMicros, quantity }: PlannedUnits): Micros =>
  unitMicros * BigInt(quantity);

export const billedPlan = (plan: BilledPlan): BilledPlan => ({
  sku: plan.sku,
  quantity: plan.quantity,
  catalogueVersion: plan.catalogueVersion,
  taxPpm: plan.taxPpm,
});

/**
 * Returns the current time, or the time at which the subscription ended or was suspended. A subscription that we let
 * end is considered to have ended before the end of its period, even if PayPal ended it later.
 */
function lastMoment(
  { status = '', status_update_time: changed }: PaypalSubscription,
  { isEnding, until }: SubscriptionMark,
  now: Date,
): Date {
  if (!ENDED.includes(status)) return now;
  const stopped = changed === undefined ? now : timeOf(changed);
  const beforeEnd = new Date(until.getTime() - 1);
  return isEnding && beforeEnd < stopped ? beforeEnd : stopped;
}
