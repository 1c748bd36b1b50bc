import type { Bucket } from './ledger-accounts.js';

export type GrantSource = 'trial' | 'package' | 'subscription' | 'release' | 'operator';

/** The burn priorities by source. Credits with a lower number are used first. */
export const BURN_PRIORITY: Record<GrantSource, number> = {
  trial: 10,
  release: 10,
  operator: 20,
  subscription: 30,
  package: 50,
};

/** The paid sources. Only their credits repay debt. */
export const PAID_SOURCES: readonly GrantSource[] = ['package', 'subscription'];

/** A grant that has not been issued yet. `sourceType`, `sourceId` and `sourceIndex` identify it. */
export interface NewGrant {
  sourceType: GrantSource;
  sourceId: string;
  sourceIndex: number;
  granted: number;
  expiresAt?: Date;
  tier?: string;
  /** The payment line from which the credits come; reversals of the line affect them. */
  lineId?: string;
  subscriptionId?: string;
  sliceStart?: Date;
  sliceEnd?: Date;
}

/** Credits from one source. The five buckets always add up to `granted`. */
export interface Grant extends NewGrant, Record<Bucket, number> {
  id: string;
  accountId: string;
  issuedAt: Date;
  /** Revoked credits that had expired before. If the revocation is undone, they become expired credits again. */
  revokedExpired: number;
  /** Revoked credits that an operator took. No undone reversal returns them. */
  withdrawn: number;
  /** The number of credits that requested and final reversals must take together. */
  requestedTarget: number;
  /** The number of credits that final reversals must take. */
  reversalTarget: number;
  /** Credits that were reversed after they had been consumed. They are still owed, and paid grants repay them. */
  owed: number;
  repaid: number;
}

/** Compares by burn order: priority, then expiry (grants without one are last), then age. */
export function inBurnOrder(a: Grant, b: Grant): number {
  return (
    BURN_PRIORITY[a.sourceType] - BURN_PRIORITY[b.sourceType] ||
    compareTimes(a.expiresAt, b.expiresAt) ||
    byAge(a, b)
  );
}

/** Compares by age and then by source, so that the order is always the same. */
export function byAge(a: Grant, b: Grant): number {
  return compareTimes(a.issuedAt, b.issuedAt) || (sourceOf(a) < sourceOf(b) ? -1 : 1);
}

/** Returns a grant's source in the form that the ledger uses: `subscription:<line>:3`. */
export function sourceOf({ sourceType, sourceId, sourceIndex }: NewGrant): string {
  return `${sourceType}:${sourceId}:${sourceIndex}`;
}

/**
 * Returns the source, line and slice of another grant, which receives the credits that are returned to this grant after
 * it has ended.
 */
export function revivalOf(grant: Grant) {
  const { lineId, subscriptionId, sliceStart, sliceEnd } = grant;
  const { sourceId, sourceIndex } =
    grant.sourceType === 'release' ? { sourceId: grant.id, sourceIndex: 0 } : grant;
  const shared = { lineId, subscriptionId, sliceStart, sliceEnd };
  return { sourceType: 'release', sourceId, sourceIndex, ...shared } as const;
}

function compareTimes(a?: Date, b?: Date): number {
  const [first, second] = [a?.getTime() ?? Infinity, b?.getTime() ?? Infinity];
  return first === second ? 0 : first - second;
}
