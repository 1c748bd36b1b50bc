import { planOfSku } from '#libs/contracts';
import type { SubscriptionPayment } from '../payments/subscription-payment.js';

/** What follows from what was paid for a subscription, less what was taken back of it for good. */
export interface PaidTime {
  /** End of the last period that is paid. */
  paidThrough: Date | null;
  /** The payment of the last period was taken back: nothing is left to renew. */
  isReversed: boolean;
  /** What its last period is paid for; undefined where a period is not paid or nothing was taken back. */
  plan?: { sku: string; quantity: number };
}

/**
 * A part of the money that is given back for all of a period (a courtesy) leaves the period paid; all of
 * it, or the rest of the period, does not. What was taken back of a change sets the plan back.
 */
export function paidTimeOf(payments: readonly SubscriptionPayment[]): PaidTime {
  const periods = payments.filter(({ isChange }) => !isChange);
  const ends = periods.filter((period) => !isTakenBack(period)).map((period) => endOf(period));
  const paidThrough = ends.toSorted((a, b) => a.getTime() - b.getTime()).at(-1) ?? null;
  const last = periods.at(-1);
  if (!last) return { paidThrough, isReversed: false };
  const ofLast = periods.filter((period) => isSameEnd(period, last));
  const isReversed = ofLast.every((period) => isTakenBack(period) || period.keptUntil !== null);
  return { paidThrough, isReversed, plan: isReversed ? undefined : planOf(payments, last) };
}

/** The change of the period that is still paid and leads highest, else the plan it began with: changes only add. */
function planOf(payments: readonly SubscriptionPayment[], last: SubscriptionPayment) {
  const changes = payments.filter((change) => change.isChange && isSameEnd(change, last));
  const kept = changes.filter((change) => !isTakenBack(change) && change.keptUntil === null);
  const { sku, quantity } = kept.toSorted((a, b) => worthOf(a) - worthOf(b)).at(-1) ?? last;
  return { sku, quantity };
}

const worthOf = ({ sku, quantity }: SubscriptionPayment) =>
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
