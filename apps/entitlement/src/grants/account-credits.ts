import { tierOfCredits } from '#libs/contracts';
import type { Book } from '../ledger/book.js';
import type { Grant, NewGrant } from '../ledger/grant.js';
import type { PaymentLine } from '../payments/payment-line.entity.js';
import { type GrantTime, reversalTarget } from '../payments/reversal-target.js';
import type { ReversedLine } from '../payments/reversed-line.entity.js';
import {
  type Slice,
  type Stretch,
  isStretch,
  laterOf,
  sliceBegin,
  sliceCredits,
  sliceExpiry,
  slicesOf,
} from '../payments/slices.js';
import type { Subscription } from '../subscriptions/subscription.entity.js';
import { isRenewing } from '../subscriptions/subscription.js';

export interface CreditSources {
  lines: PaymentLine[];
  reversedLines: ReversedLine[];
  subscriptions: Subscription[];
}

interface DueGrant {
  line: PaymentLine;
  /** When the grant is issued: the later of `begin` and the arrival of its line. */
  at: Date;
  begin: Date;
  slice?: Slice;
  grant: IssuedGrant;
}

type IssuedGrant = Omit<NewGrant, 'sourceId' | 'lineId'>;

/**
 * Brings an account up to its book's time, step by step in chronological order. When a paid grant begins, the grants
 * that it replaces expire, the new one is issued, and open debt is repaid. Only paid lines create grants; a reversed
 * grant is issued and revoked at once. The book must contain every grant.
 */
export function advance(book: Book, sources: CreditSources): void {
  const { now } = book;
  const all = sources.lines.flatMap(grantsOf);
  const issued = new Set(book.all.map(({ sourceId, sourceIndex }) => `${sourceId}:${sourceIndex}`));
  const missing = all
    .filter(({ line, slice }) => !issued.has(`${line.id}:${slice?.index ?? 0}`))
    .toSorted(inOrder);
  book.account.nextDueAt = missing.find(({ at }) => at > now)?.at;
  const due = Map.groupBy(
    missing.filter(({ at }) => at <= now),
    ({ at }) => at.getTime(),
  );
  for (const [at, grants] of due) {
    book.now = new Date(at);
    endSlices(book, sources, all);
    book.expire();
    const { lastGranted, lowThreshold } = book.account;
    const issuedNow = grants.map(({ line, grant }) =>
      book.issue({ ...grant, sourceId: line.id, lineId: line.id }),
    );
    endSlices(book, sources, all);
    followReversals(book, sources);
    // The customer gets only what reversals leave: nobody is told that the slices of a refunded year are used up.
    const kept = issuedNow.reduce((sum, { granted, revoked }) => sum + granted - revoked, 0);
    const given = kept > 0 ? { lastGranted: kept } : { lastGranted, lowThreshold };
    Object.assign(book.account, given);
    book.repayDebts();
  }
  book.now = now;
  endSlices(book, sources, all);
  book.expire();
}

/**
 * Sets every paid grant's reversal targets from the current reversals of its line. The targets of revived credits
 * depend on the grant from which they come.
 */
export function followReversals(book: Book, { lines, reversedLines }: CreditSources): void {
  const byLine = Map.groupBy(reversedLines, ({ lineId }) => lineId);
  const paid = book.all.filter(({ lineId, sourceType }) => lineId && sourceType !== 'release');
  for (const grant of paid.filter(({ lineId }) => byLine.has(lineId as string))) {
    const line = lines.find(({ id }) => id === grant.lineId);
    const reversals = byLine.get(grant.lineId as string) ?? [];
    const final = reversals.filter(({ phase }) => phase === 'final');
    const time = line && timeOf(line, grant);
    book.retarget(grant, {
      requested: reversalTarget(grant.granted, time, reversals),
      final: reversalTarget(grant.granted, time, final),
    });
  }
  for (const grant of paid.filter(({ lineId }) => !byLine.has(lineId as string))) {
    book.retarget(grant, { requested: 0, final: 0 });
  }
}

function endSlices(book: Book, { subscriptions, lines }: CreditSources, all: DueGrant[]): void {
  const lineOf = new Map(lines.map((line) => [line.id, line]));
  const begun = all.filter(({ at }) => at <= book.now);
  for (const grant of book.all.filter(({ sourceType }) => sourceType === 'subscription')) {
    const line = lineOf.get(grant.sourceId);
    const { sliceStart, sliceEnd } = grant;
    if (!line || !isStretch(line) || !sliceStart || !sliceEnd) continue;
    const later = begun.flatMap(({ line: { subscriptionId }, slice }) =>
      slice && subscriptionId === line.subscriptionId && slice.start > sliceStart
        ? slice.start.getTime()
        : [],
    );
    const nextStart = later.length > 0 ? new Date(Math.min(...later)) : undefined;
    const subscription = subscriptions.find(({ id }) => id === line.subscriptionId);
    const isExpected = subscription !== undefined && isRenewing(subscription);
    const longest = sliceExpiry(line, sliceEnd, { isRenewing: true });
    // A grant whose latest possible end has passed never changes.
    if (book.now >= longest) continue;
    grant.expiresAt = sliceExpiry(line, sliceEnd, { nextStart, isRenewing: isExpected });
  }
}

function grantsOf(line: PaymentLine): DueGrant[] {
  if (line.kind === 'package') {
    return [{ line, at: line.heardAt, begin: line.heardAt, grant: packageGrant(line) }];
  }
  if (!isStretch(line)) return [];
  return slicesOf(line)
    .filter((slice) => sliceCredits(line, slice) > 0)
    .map((slice) => {
      const begin = sliceBegin(line, slice);
      const grant = sliceGrant(line, slice);
      return { line, slice, begin, at: laterOf(begin, line.heardAt), grant };
    });
}

function packageGrant(line: PaymentLine): IssuedGrant {
  const granted = Number(line.credits);
  const tier = line.tier ?? tierOfCredits(granted)?.name;
  return { sourceType: 'package', sourceIndex: 0, granted, tier };
}

/** Returns the grant of a slice. `endSlices` sets when its credits end. */
function sliceGrant(line: Stretch, slice: Slice): IssuedGrant {
  return {
    sourceType: 'subscription',
    sourceIndex: slice.index,
    granted: sliceCredits(line, slice),
    subscriptionId: line.subscriptionId,
    sliceStart: slice.start,
    sliceEnd: slice.end,
  };
}

/** Returns the time, if any, that a grant's credits cover. */
function timeOf(line: PaymentLine, { sliceStart, sliceEnd }: Grant): GrantTime | undefined {
  if (!isStretch(line) || !sliceStart || !sliceEnd) return undefined;
  return { begin: laterOf(line.from, sliceStart), end: sliceEnd };
}

/** Compares by time and then by line, so that the same lines are always issued in the same order. */
function inOrder(a: DueGrant, b: DueGrant): number {
  const byTime = a.at.getTime() - b.at.getTime() || a.begin.getTime() - b.begin.getTime();
  return byTime || (a.line.id < b.line.id ? -1 : 1);
}
