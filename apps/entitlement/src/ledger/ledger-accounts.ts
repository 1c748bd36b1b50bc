/**
 * Ledger accounts of a customer. The first five are the buckets of a grant. `issued` is the source of all credits,
 * `debt` (negative) the amount that a customer owes after a reversal, and `owed` our claim to that amount.
 */
const LEDGER_ACCOUNTS = [
  'available',
  'reserved',
  'consumed',
  'expired',
  'revoked',
  'issued',
  'debt',
  'owed',
] as const;
export type LedgerAccount = (typeof LEDGER_ACCOUNTS)[number];

export const BUCKETS = ['available', 'reserved', 'consumed', 'expired', 'revoked'] as const;
export type Bucket = (typeof BUCKETS)[number];

/** The purpose of a transfer; the README lists the accounts between which each kind moves credits. */
export type TransferKind =
  | 'grant'
  | 'reserve'
  | 'consume'
  | 'release'
  | 'expire'
  | 'revoke'
  | 'reinstate'
  | 'late_debit'
  | 'debt'
  | 'repay'
  | 'debt_cancel'
  | 'repay_return';

export interface LedgerEntry {
  account: LedgerAccount;
  grantId: string;
  /** The number of credits; never 0. */
  amount: number;
}

/** Entries that sum to zero, in the order in which they are written. */
export interface LedgerTransfer {
  accountId: string;
  kind: TransferKind;
  /** The cause of the transfer: `lease:<id>`, `hold:<id>`, a grant's source, `time` … */
  reference: string;
  /** The account's available credits after the transfer. */
  availableAfter: number;
  /** The business time of the transfer. */
  occurredAt: Date;
  entries: LedgerEntry[];
}
