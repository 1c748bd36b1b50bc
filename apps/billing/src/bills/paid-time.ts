import { planOfSku } from '#libs/contracts';
import { DAY_MS } from '#libs/platform';
import type { SubscriptionPayment } from '../payments/subscription-payment.js';

/**
 * As long as the grace after an unpaid period: a change paid for less of its period does not grant its rights during
 * the grace.
 */
const GRACE_MS = 7 * DAY_MS;

/** A plan in units. */
export interface PaidPlan {
  sku: string;
  quantity: number;
}

/** Rights and periods that follow from what was paid for a subscription, minus final reversals. */
export interface PaidTime {
  /** End of the last period that is paid. */
  paidThrough: Date | null;
  /** The payment of the last period was taken back: nothing is left to renew. */
  isReversed: boolean;
  /** The plan for which its last period is paid; undefined if a period is unpaid or nothing was reversed. */
  plan?: PaidPlan;
  /** The plan of the last period that is still paid; null before the first. */
  paid: PaidPlan | null;
  /** The rights after it, while the next payment is expected. */
  grace: PaidPlan | null;
}

/**
 * A part of the money that is given back for all of a period (a courtesy) leaves the period paid; all of
 * it, or the rest of the period, does not. What was taken back of a change sets the plan back.
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

const isLong = ({ startsAt, periodEnd }: SubscriptionPayment) =>
  periodEnd.getTime() - startsAt.getTime() >= GRACE_MS;

/** The change of the period that is still paid and leads highest, else the plan it began with: changes only add. */
function planOf(payments: readonly SubscriptionPayment[], last: SubscriptionPayment): PaidPlan {
  const changes = payments.filter((change) => change.isChange && isSameEnd(change, last));
  const kept = changes.filter((change) => !isTakenBack(change) && change.keptUntil === null);
  const { sku, quantity } = kept.toSorted((a, b) => worthOf(a) - worthOf(b)).at(-1) ?? last;
  return { sku, quantity };
}

/** Compares plans of one line. */
export const worthOf = ({ sku, quantity }: PaidPlan) =>
  (planOfSku(sku)?.monthlyMicros ?? 0) * quantity;

/** A payment of nothing has nothing that could be taken back. */
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
