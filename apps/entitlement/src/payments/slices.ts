import { GRACE_MS } from '#libs/contracts';
import { addMonths } from '#libs/platform';
import type { PaymentLine } from './payment-line.entity.js';

const MONTHS_PER_YEAR = 12;

/** A payment line of kind subscription or subscription_upgrade: a paid part of a period. */
export interface Stretch extends PaymentLine {
  subscriptionId: string;
  interval: 'month' | 'year';
  periodStart: Date;
  periodEnd: Date;
  from: Date;
  monthlyCredits: string;
}

/** A month of a stretch's period. A monthly period has one slice. */
export interface Slice {
  index: number;
  start: Date;
  end: Date;
}

export function isStretch(line: PaymentLine): line is Stretch {
  return line.subscriptionId !== null;
}

/** Returns the slices in which a stretch grants credits, in order. */
export function slicesOf(stretch: Stretch): Slice[] {
  const { interval, periodStart, periodEnd, from } = stretch;
  const count = interval === 'year' ? MONTHS_PER_YEAR : 1;
  const slices: Slice[] = [];
  for (let index = 0; index < count; index++) {
    const start = addMonths(periodStart, index);
    if (start >= periodEnd) break;
    const next = addMonths(periodStart, index + 1);
    const end = index === count - 1 || next > periodEnd ? periodEnd : next;
    if (end > from) slices.push({ index, start, end });
  }
  return slices;
}

export function laterOf(one: Date, other: Date): Date {
  return new Date(Math.max(one.getTime(), other.getTime()));
}

/** Returns the time from which a stretch grants credits in a slice. */
export function sliceBegin(stretch: Stretch, slice: Slice): Date {
  return laterOf(slice.start, stretch.from);
}

/**
 * Returns the credits of a slice: the monthly credits in proportion to the stretch's share of the slice, rounded down.
 */
export function sliceCredits(stretch: Stretch, slice: Slice): number {
  const begin = sliceBegin(stretch, slice).getTime();
  const [start, end] = [slice.start.getTime(), slice.end.getTime()];
  return Number((BigInt(stretch.monthlyCredits) * BigInt(end - begin)) / BigInt(end - start));
}

/** True if the slice had already ended when its line arrived. Its credits are then valid for a separate period. */
export function isLate(stretch: Stretch, sliceEnd: Date): boolean {
  return stretch.heardAt >= sliceEnd;
}

/**
 * Returns when a slice's credits end: with the slice, or earlier if the next slice of the subscription begins before
 * that. The credits of a period's last slice end after the grace period if a renewal is expected and no next slice has
 * been issued; those of a late slice end one grace period after their line arrived.
 * @param nextStart the start of the next slice that has been issued, if any.
 */
export function sliceExpiry(
  stretch: Stretch,
  sliceEnd: Date,
  { nextStart, isRenewing }: { nextStart?: Date; isRenewing: boolean },
): Date {
  if (isLate(stretch, sliceEnd)) return new Date(stretch.heardAt.getTime() + GRACE_MS);
  if (nextStart) return new Date(Math.min(nextStart.getTime(), sliceEnd.getTime()));
  const isLast = sliceEnd >= stretch.periodEnd;
  return isLast && isRenewing ? new Date(sliceEnd.getTime() + GRACE_MS) : sliceEnd;
}
