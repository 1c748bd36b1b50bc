import { GRACE_MS, planOfSku } from '#libs/contracts';
import type { SubscriptionPayment } from '../payments/subscription-payment.js';

export interface PaidPlan {
  sku: string;
  quantity: number;
}

/** The rights and periods that follow from the payments for a subscription, minus final reversals. */
export interface PaidTime {
  paidThrough: Date | null;
  /** Whether the payment for the last period was reversed; then there is nothing to renew. */
  isReversed: boolean;
  /**
   * The plan for which the last period is paid; undefined if nothing was paid, or if the payment for the last period
   * was reversed.
   */
  plan?: PaidPlan;
  /** The plan of the last period that is still paid; null if there is none. */
  paid: PaidPlan | null;
  /** The rights after the paid period, while the next payment is expected. */
  grace: PaidPlan | null;
}

/**
 * Derives rights and periods from the payments for a subscription. A partial refund for the whole period (a courtesy)
 * leaves the period paid; a full refund, or a refund of the rest of the period, does not. A reversed change restores
 * the earlier plan.
 */
export function paidTimeOf(payments: readonly SubscriptionPayment[]): PaidTime {
  const periods = payments.filter(({ isChange }) => !isChange);
  const kept = periods.filter((period) => !isTakenBack(period));
  const lastKept = kept.toSorted((a, b) => endOf(a).getTime() - endOf(b).getTime()).at(-1);
  const paidTime = {
    paidThrough: lastKept ? endOf(lastKept) : null,
    paid: lastKept ? planOf(payments, lastKept) : null,
    grace: lastKept ? planOf(payments.filter(isLong), lastKept) : null,
  };
  const last = periods.at(-1);
  if (!last) return { ...paidTime, isReversed: false };
  const ofLast = periods.filter((period) => isSameEnd(period, last));
  const isReversed = ofLast.every((period) => isTakenBack(period) || period.keptUntil !== null);
  return { ...paidTime, isReversed, plan: isReversed ? undefined : planOf(payments, last) };
}

/**
 * Whether the time that a change paid for is at least as long as the grace period. Only then does the change grant its
 * rights during the grace period.
 */
const isLong = ({ startsAt, periodEnd }: SubscriptionPayment) =>
  periodEnd.getTime() - startsAt.getTime() >= GRACE_MS;

/**
 * Returns the highest plan among the changes of the period that are still paid, because changes within a period are
 * upgrades. Without such changes, returns the plan with which the period began.
 */
function planOf(payments: readonly SubscriptionPayment[], last: SubscriptionPayment): PaidPlan {
  const changes = payments.filter((change) => change.isChange && isSameEnd(change, last));
  const kept = changes.filter((change) => !isTakenBack(change) && change.keptUntil === null);
  const { sku, quantity } = kept.toSorted((a, b) => worthOf(a) - worthOf(b)).at(-1) ?? last;
  return { sku, quantity };
}

/** Returns a value by which plans of the same line can be compared. */
export const worthOf = ({ sku, quantity }: PaidPlan) =>
  (planOfSku(sku)?.monthlyMicros ?? 0) * quantity;

/** Whether the payment was reversed. A payment of zero has nothing to reverse. */
function isTakenBack({ paidMicros, wholeMicros, restMicros }: SubscriptionPayment): boolean {
  const whole = BigInt(wholeMicros);
  return whole > 0n && whole + BigInt(restMicros) >= BigInt(paidMicros);
}

function endOf({ periodStart, periodEnd, keptUntil }: SubscriptionPayment): Date {
  if (keptUntil === null || keptUntil > periodEnd) return periodEnd;
  return keptUntil > periodStart ? keptUntil : periodStart;
}

const isSameEnd = (a: SubscriptionPayment, b: SubscriptionPayment) =>
  a.periodEnd.getTime() === b.periodEnd.getTime();
