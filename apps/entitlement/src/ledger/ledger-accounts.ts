/**
 * The ledger accounts of a customer. The first five are the buckets of a grant. `issued` is the source of all credits;
 * `debt` (negative) is what the customer owes after a reversal, and `owed` is our claim to that amount.
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

/** The purpose of a transfer. The README lists the accounts between which each kind moves credits. */
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
  /** The number of credits, which is never 0. */
  amount: number;
}

/** A transfer of credits: entries that sum to zero, in the order they are written. */
export interface LedgerTransfer {
  accountId: string;
  kind: TransferKind;
  /** The cause of the transfer: `lease:<id>`, `hold:<id>`, `operator:<revocation>` or a grant's source. */
  reference: string;
  availableAfter: number;
  occurredAt: Date;
  entries: LedgerEntry[];
}
