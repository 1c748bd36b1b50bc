import { DAY_MS, addMonths } from '#libs/platform';

/** How long the last paid slice stays spendable while its renewal is pending or past due. */
export const GRACE_MS = 7 * DAY_MS;

const MONTHS_PER_YEAR = 12;

/** A paid stretch of a subscription that brings credits each month. */
export interface CreditPeriod {
  subscriptionId: string;
  start: Date;
  end: Date;
  interval: 'month' | 'year';
  /** No slice starts at or after this: end, cancellation, or the period that replaced it. */
  slicesUntil: Date;
  paidThrough: Date;
  monthlyCredits: number;
}

/** One month's credits of a period. A monthly period is its own and only slice. */
export interface MonthlySlice {
  index: number;
  start: Date;
  end: Date;
}

/** Slices that are paid for and may ever be issued, in order. */
export function slicesOf(period: CreditPeriod): MonthlySlice[] {
  const slices: MonthlySlice[] = [];
  const count = period.interval === 'year' ? MONTHS_PER_YEAR : 1;
  for (let index = 0; index < count; index++) {
    const start = addMonths(period.start, index);
    if (start >= period.slicesUntil || start >= period.paidThrough) break;
    const isLast = index === count - 1;
    slices.push({ index, start, end: isLast ? period.end : addMonths(period.start, index + 1) });
  }
  return slices;
}

/** What decides when the credits of a running slice end. */
export interface Renewal {
  /** The subscription is expected to be renewed: active or past due, and not cancelled. */
  isExpected: boolean;
  cancelAt?: Date;
  paidThrough?: Date;
}

/**
 * A slice that another paid one follows ends with itself. The last paid one stays for the days of
 * grace while the renewal is pending, and ends with the period when there will be none.
 */
export function sliceExpiry(sliceEnd: Date, renewal: Renewal): Date {
  if (renewal.paidThrough && sliceEnd < renewal.paidThrough) return sliceEnd;
  if (renewal.isExpected) return new Date(sliceEnd.getTime() + GRACE_MS);
  return renewal.cancelAt && renewal.cancelAt < sliceEnd ? renewal.cancelAt : sliceEnd;
}
