import type { PaymentLineKind } from '../events/billing/payment-line.js';
import type { SubscriptionState } from '../events/billing/subscription-changed.js';

/**
 * Sums of an account's ledger for each of the last 30 UTC days (`YYYY-MM-DD`), newest first. Usage counts towards the
 * day on which it was booked.
 */
export interface LedgerChanges {
  days: { day: string; amount: number }[];
  /** False if the ledger has more lines than are summed; some of the oldest day may be missing. */
  is_whole: boolean;
}

/** The state of a payment's line, for the daily comparison (invariant I21); amounts are decimal strings. */
export interface LineSums {
  lineId: string;
  accountId: string;
  paymentId: string;
  kind: PaymentLineKind;
  amountMicros: string;
  /** RFC 3339. */
  heardAt: string;
  /** Number of grants so far: one per package, and one per monthly slice that has begun. */
  grants: number;
  granted: string;
  consumed: string;
  revoked: string;
  /** Credits covered by final reversals. */
  reversed: string;
  owed: string;
}

/** The purchases of an account. */
export interface Owned {
  packages: {
    grantId: string;
    lineId: string;
    tier: string | null;
    granted: string;
    /** Available and reserved credits. */
    remaining: string;
    boughtAt: string;
  }[];
  /** Plans, Domainer and the rate-limit add-on, including ended ones. */
  subscriptions: {
    id: string;
    line: 'api' | 'domainer' | 'rate_limit';
    state: SubscriptionState;
    sku: string;
    quantity: number;
    interval: 'month' | 'year';
    periodStart: string;
    periodEnd: string;
    paidThrough?: string;
    cancelAt?: string;
    /**
     * When the subscription's rights end, unless a newer snapshot arrives; absent if the subscription grants no rights.
     */
    rightsUntil?: string;
  }[];
  debt: string;
}

export interface SourcedGrant {
  id: string;
  sourceType: string;
  sourceId: string;
  sourceIndex: number;
  lineId: string | null;
  subscriptionId: string | null;
  sliceStart: string | null;
  sliceEnd: string | null;
  expiresAt: string | null;
  issuedAt: string;
  granted: string;
  available: string;
  reserved: string;
  consumed: string;
  expired: string;
  revoked: string;
  owed: string;
  repaid: string;
}

export interface GrantPage {
  items: SourcedGrant[];
  nextCursor?: string;
}

/** An account whose due dates cannot be applied: its next slices are not issued. */
export interface SetAsideAccount {
  accountId: string;
  /** RFC 3339. */
  since: string;
  failures: number;
  reason: string;
}

/** A lease whose usage cannot be booked; booking is retried automatically. */
export interface SetAsideLease {
  accountId: string;
  leaseId: string;
  reported: number;
  failures: number;
  reason: string;
}

/** Ledger lines that are shown as one: a grant, or a month's usage by an operation. */
export interface ExplainedLine {
  /** When the first of the lines was booked, RFC 3339. */
  from: string;
  /** When the last of the lines was booked, RFC 3339. */
  to: string;
  kind: 'grant' | 'use' | 'expiry' | 'refund';
  /** The grant's source, the reversed line, or the operation. */
  reference: string;
  /** The number of credits, negative if they were taken away. */
  amount: number;
  lines: number;
}

/** Explains why an account has its credits: all lines add up to `total`. */
export interface BalanceExplanation {
  /** Oldest first. */
  lines: ExplainedLine[];
  balance: {
    spendable: number;
    frozen: number;
    /** Credits reserved for requests and jobs. */
    reserved: number;
    /** Credits that are used but not yet booked in the ledger. */
    unbooked: number;
    debt: number;
  };
  /** Spendable, frozen, reserved and unbooked credits, less debt. */
  total: number;
  /** The part of the balance that the lines do not explain; a value other than 0 is a fault of the ledger. */
  unexplained: number;
}
