import { nextId } from '#libs/platform';
import { BUCKETS, type LedgerTransfer } from './chart.js';
import type { AccountState, CreditAccount, GrantBook } from './grant-book.js';
import { BURN_PRIORITY, type Grant, type GrantSource } from './grant.js';

/** As PostgreSQL's driver gives it: bigint as text, timestamptz as Date. */
export interface AccountRow {
  id: string;
  state: AccountState;
  available: string;
  next_due_at: Date | null;
  package_tier: string | null;
  allowance_version: string;
  last_granted: string;
  low_threshold: number | null;
  last_transfer_id: string | null;
}

export interface GrantRow {
  id: string;
  account_id: string;
  source_type: GrantSource;
  source_id: string;
  source_index: number;
  granted: string;
  available: string;
  reserved: string;
  consumed: string;
  expired: string;
  revoked: string;
  frozen_target: string;
  reversal_target: string;
  owed: string;
  repaid: string;
  tier: string | null;
  subscription_id: string | null;
  period_start: Date | null;
  slice_start: Date | null;
  slice_end: Date | null;
  expires_at: Date | null;
  issued_at: Date;
}

export function toAccount(row: AccountRow): CreditAccount {
  return {
    id: row.id,
    state: row.state,
    available: Number(row.available),
    nextDueAt: row.next_due_at ?? undefined,
    packageTier: row.package_tier ?? undefined,
    allowanceVersion: Number(row.allowance_version),
    lastGranted: Number(row.last_granted),
    lowThreshold: row.low_threshold ?? undefined,
    lastTransferId: row.last_transfer_id ?? undefined,
  };
}

export function toGrant(row: GrantRow): Grant {
  return {
    id: row.id,
    accountId: row.account_id,
    sourceType: row.source_type,
    sourceId: row.source_id,
    sourceIndex: row.source_index,
    granted: Number(row.granted),
    available: Number(row.available),
    reserved: Number(row.reserved),
    consumed: Number(row.consumed),
    expired: Number(row.expired),
    revoked: Number(row.revoked),
    frozenTarget: Number(row.frozen_target),
    reversalTarget: Number(row.reversal_target),
    owed: Number(row.owed),
    repaid: Number(row.repaid),
    tier: row.tier ?? undefined,
    subscriptionId: row.subscription_id ?? undefined,
    periodStart: row.period_start ?? undefined,
    sliceStart: row.slice_start ?? undefined,
    sliceEnd: row.slice_end ?? undefined,
    expiresAt: row.expires_at ?? undefined,
    issuedAt: row.issued_at,
  };
}

/**
 * What books changed, as the one statement that writes it reads it. Buckets of known grants are
 * differences, so that a value the book never saw cannot be overwritten.
 */
export function toPosting(books: GrantBook[]) {
  const transfers = books.flatMap(numbered);
  return {
    accounts: books.map(({ account }) => accountRow(account)),
    moves: books.flatMap((book) => book.changed()).map(({ before, after }) => move(before, after)),
    issued: books.flatMap((book) => book.all.filter(({ id }) => book.issued.has(id)).map(grantRow)),
    transfers: transfers.map((transfer) => ({
      id: transfer.id,
      account_id: transfer.accountId,
      kind: transfer.kind,
      reference: transfer.reference,
      available_after: transfer.availableAfter,
    })),
    entries: transfers.flatMap(({ id, accountId, entries }) =>
      entries.map((entry, position) => ({
        transfer_id: id,
        account_id: accountId,
        position,
        ledger_account: entry.account,
        grant_id: entry.grantId,
        amount: entry.amount,
      })),
    ),
    repayments: books.flatMap((book) =>
      book.repayments.map((repayment) => ({
        reversed_grant_id: repayment.reversedGrantId,
        paying_grant_id: repayment.payingGrantId,
        amount: repayment.amount,
      })),
    ),
  };
}

/** Gives a book's transfers ids that rise with each movement of the account. */
function numbered({ account, transfers }: GrantBook): (LedgerTransfer & { id: string })[] {
  return transfers.map((transfer) => {
    const id = nextId(account.lastTransferId);
    account.lastTransferId = id;
    return { ...transfer, id };
  });
}

function accountRow(account: CreditAccount) {
  return {
    id: account.id,
    state: account.state,
    available: account.available,
    next_due_at: account.nextDueAt,
    package_tier: account.packageTier,
    allowance_version: account.allowanceVersion,
    last_granted: account.lastGranted,
    low_threshold: account.lowThreshold,
    last_transfer_id: account.lastTransferId,
  };
}

function move(before: Grant, after: Grant) {
  const changed = [...BUCKETS, 'owed', 'repaid'] as const;
  return {
    id: after.id,
    ...Object.fromEntries(changed.map((name) => [name, after[name] - before[name]])),
    frozen_target: after.frozenTarget,
    reversal_target: after.reversalTarget,
    expires_at: after.expiresAt,
  };
}

function grantRow(grant: Grant) {
  return {
    id: grant.id,
    account_id: grant.accountId,
    source_type: grant.sourceType,
    source_id: grant.sourceId,
    source_index: grant.sourceIndex,
    priority: BURN_PRIORITY[grant.sourceType],
    granted: grant.granted,
    available: grant.available,
    reserved: grant.reserved,
    consumed: grant.consumed,
    expired: grant.expired,
    revoked: grant.revoked,
    owed: grant.owed,
    repaid: grant.repaid,
    frozen_target: grant.frozenTarget,
    reversal_target: grant.reversalTarget,
    tier: grant.tier,
    subscription_id: grant.subscriptionId,
    period_start: grant.periodStart,
    slice_start: grant.sliceStart,
    slice_end: grant.sliceEnd,
    expires_at: grant.expiresAt,
  };
}
