import type { Book } from '../ledger/book.js';
import type { Grant } from '../ledger/grant.js';
import {
  type CreditPeriod,
  type MonthlySlice,
  sliceExpiry,
  slicesOf,
} from '../subscriptions/monthly-slices.js';
import { isWhole, reversalTarget } from './reversal-target.js';
import { type Subscription, isRenewing } from '../subscriptions/subscription.js';

/** What is taken back of one payment line, as shares of it (decimal strings). */
export interface ReversedLine {
  lineId: string;
  /** `subscription` for a line that paid for slices; undefined while its payment is unknown. */
  kind?: string;
  subscriptionId?: string;
  periodStart?: Date;
  requestedShare: string;
  finalShare: string;
}

/** What an account's grants follow from, beside its payments. */
export interface CreditSources {
  subscriptions: Subscription[];
  periods: CreditPeriod[];
  reversedLines: ReversedLine[];
}

/**
 * Applies time: issues every slice that has started, in order, and expires what is over. Needs a book
 * with every grant of the account.
 */
export function advance(book: Book, sources: CreditSources): void {
  const due = sources.periods
    .filter((period) => !isReversedInFull(period, sources.reversedLines))
    .flatMap((period) => slicesOf(period).map((slice) => ({ period, slice })))
    .toSorted((a, b) => a.slice.start.getTime() - b.slice.start.getTime());
  book.account.nextDueAt = due.find(({ slice }) => slice.start > book.now)?.slice.start;
  for (const { period, slice } of due) {
    const isDue = slice.start <= book.now && !findSlice(book, period, slice);
    if (isDue) issueSlice(book, period, slice, sources);
  }
  book.expire();
}

/** Sets every grant's reversal targets to what is taken back of its line now. */
export function followReversals(book: Book, reversedLines: ReversedLine[]): void {
  for (const grant of book.all) {
    const line = reversedLines.find((candidate) => paidFor(candidate, grant));
    book.retarget(grant, {
      frozen: line ? reversalTarget(grant.granted, line.requestedShare) : 0,
      final: line ? reversalTarget(grant.granted, line.finalShare) : 0,
    });
  }
}

/** Ends the running credits of a subscription when its last snapshot says. */
export function followSubscription(book: Book, subscription: Subscription): void {
  for (const grant of book.all.filter((g) => g.subscriptionId === subscription.id)) {
    if (!grant.sliceEnd || (grant.expiresAt && grant.expiresAt <= book.now)) continue;
    grant.expiresAt = sliceExpiry(grant.sliceEnd, renewalOf(subscription));
  }
}

/** When credits that belong to a slice of this subscription end. */
export function expiryWithin(sliceEnd: Date, subscription: Subscription | undefined): Date {
  return subscription ? sliceExpiry(sliceEnd, renewalOf(subscription)) : sliceEnd;
}

function subscriptionSourceId(subscriptionId: string, periodStart: Date): string {
  return `${subscriptionId}:${periodStart.toISOString()}`;
}

function issueSlice(
  book: Book,
  period: CreditPeriod,
  slice: MonthlySlice,
  { subscriptions, reversedLines }: CreditSources,
): void {
  const { subscriptionId } = period;
  const siblings = book.all.filter((grant) => grant.subscriptionId === subscriptionId);
  const next = siblings.find(({ sliceStart }) => sliceStart && sliceStart > slice.start);
  const subscription = subscriptions.find(({ id }) => id === subscriptionId);
  // One instant ends the old slice and starts the new one, so nothing is spendable twice.
  for (const grant of siblings.filter((sibling) => endsBy(slice, sibling, siblings))) {
    if (!grant.expiresAt || grant.expiresAt > slice.start) grant.expiresAt = slice.start;
  }
  book.expire();
  const grant = book.issue({
    sourceType: 'subscription',
    sourceId: subscriptionSourceId(subscriptionId, period.start),
    sourceIndex: slice.index,
    granted: period.monthlyCredits,
    expiresAt: next?.sliceStart ?? expiryWithin(slice.end, subscription),
    subscriptionId,
    periodStart: period.start,
    sliceStart: slice.start,
    sliceEnd: slice.end,
  });
  followReversals(book, reversedLines);
  book.repayFrom(grant);
  book.expire();
}

/** True for the slices before this one, and for upgrades of them. */
function endsBy(slice: MonthlySlice, grant: Grant, siblings: Grant[]): boolean {
  if (grant.sliceStart) return grant.sliceStart < slice.start;
  const upgraded = siblings.find(
    ({ sliceStart, sliceEnd }) => sliceStart && sliceEnd?.getTime() === grant.sliceEnd?.getTime(),
  );
  return upgraded?.sliceStart ? upgraded.sliceStart < slice.start : false;
}

function findSlice(book: Book, period: CreditPeriod, slice: MonthlySlice): Grant | undefined {
  const sourceId = subscriptionSourceId(period.subscriptionId, period.start);
  return book.all.find(
    (grant) =>
      grant.sourceType === 'subscription' &&
      grant.sourceId === sourceId &&
      grant.sourceIndex === slice.index,
  );
}

function isReversedInFull(period: CreditPeriod, lines: ReversedLine[]): boolean {
  return lines.some((line) => paysPeriod(line, period) && isWhole(line.finalShare));
}

function paidFor(line: ReversedLine, grant: Grant): boolean {
  if (grant.sourceType !== 'subscription') return line.lineId === grant.sourceId;
  const { subscriptionId, periodStart } = grant;
  if (!subscriptionId || !periodStart) return false;
  return paysPeriod(line, { subscriptionId, start: periodStart });
}

function paysPeriod(
  line: ReversedLine,
  period: Pick<CreditPeriod, 'subscriptionId' | 'start'>,
): boolean {
  return (
    line.kind === 'subscription' &&
    line.subscriptionId === period.subscriptionId &&
    line.periodStart?.getTime() === period.start.getTime()
  );
}

function renewalOf(subscription: Subscription) {
  const { cancelAt, paidThrough } = subscription;
  return { isExpected: isRenewing(subscription), cancelAt, paidThrough };
}
