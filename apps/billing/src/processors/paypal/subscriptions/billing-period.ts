import type { BillingInterval } from '#libs/contracts';
import { DAY_MS, addMonths } from '#libs/platform';

export interface BillingPeriod {
  start: Date;
  end: Date;
  /** The number of the period, from 0. */
  index: number;
}

const MONTHS: Readonly<Record<BillingInterval, number>> = { month: 1, year: 12 };
/**
 * How far PayPal's bills may be from the anchor's time of day: PayPal bills in batches, up to a day before or after.
 */
const EARLY_MS = DAY_MS;

/**
 * Returns the period that contains a time; the first period for a time before the anchor. PayPal does not name periods,
 * so they are counted from the anchor.
 */
export function periodAt(anchor: Date, interval: BillingInterval, time: Date): BillingPeriod {
  const step = MONTHS[interval];
  const monthsApart =
    (time.getUTCFullYear() - anchor.getUTCFullYear()) * 12 +
    (time.getUTCMonth() - anchor.getUTCMonth());
  const startOf = (index: number) => addMonths(anchor, index * step);
  let index = Math.max(0, Math.floor(monthsApart / step));
  while (index > 0 && startOf(index) > time) index -= 1;
  return { start: startOf(index), end: startOf(index + 1), index };
}

/** Whether a payment is for the period that begins at `start` or for a later period. */
export const isPaidFrom = (start: Date, paidAt: Date) =>
  paidAt.getTime() >= start.getTime() - EARLY_MS;

export const periodPaidAt = (anchor: Date, interval: BillingInterval, time: Date) =>
  periodAt(anchor, interval, new Date(time.getTime() + EARLY_MS));
