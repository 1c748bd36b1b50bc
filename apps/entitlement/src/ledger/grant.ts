import type { Bucket } from './chart.js';

export type GrantSource =
  'trial' | 'package' | 'subscription' | 'subscription_upgrade' | 'release' | 'operator';

/** Lower burns first. */
export const BURN_PRIORITY: Record<GrantSource, number> = {
  trial: 10,
  release: 10,
  operator: 20,
  subscription: 30,
  subscription_upgrade: 30,
  package: 50,
};

/** Sources that were paid for: their credits repay debt first. */
export const PAID_SOURCES: readonly GrantSource[] = [
  'package',
  'subscription',
  'subscription_upgrade',
];

/** Where a grant comes from; the three source members name it once for ever. */
export interface NewGrant {
  sourceType: GrantSource;
  sourceId: string;
  sourceIndex: number;
  /** Credits. */
  granted: number;
  expiresAt?: Date;
  /** Catalogue tier of a package. */
  tier?: string;
  subscriptionId?: string;
  periodStart?: Date;
  sliceStart?: Date;
  /** End of the slice these credits belong to, of an upgrade's credits too. */
  sliceEnd?: Date;
}

/** Credits from one source. The five buckets always add up to `granted`. */
export interface Grant extends NewGrant, Record<Bucket, number> {
  id: string;
  accountId: string;
  issuedAt: Date;
  /** Credits that reversals aim at, requested and final ones. */
  frozenTarget: number;
  /** Credits that final reversals aim at. */
  reversalTarget: number;
  /** Reversed but consumed credits: still owed, and repaid by later grants. */
  owed: number;
  repaid: number;
}

/** Available credits that a requested reversal keeps from being spent. */
export function frozenOf(grant: Grant): number {
  return Math.min(grant.available, Math.max(0, grant.frozenTarget - grant.revoked));
}

/** Priority, then expiry (never last), then age. */
export function inBurnOrder(a: Grant, b: Grant): number {
  return (
    BURN_PRIORITY[a.sourceType] - BURN_PRIORITY[b.sourceType] ||
    compareTimes(a.expiresAt, b.expiresAt) ||
    compareTimes(a.issuedAt, b.issuedAt) ||
    (a.id < b.id ? -1 : 1)
  );
}

function compareTimes(a?: Date, b?: Date): number {
  const [first, second] = [a?.getTime() ?? Infinity, b?.getTime() ?? Infinity];
  return first === second ? 0 : first - second;
}
