import { nextId } from '#libs/platform';
import { BUCKETS, type LedgerTransfer } from './ledger-accounts.js';
import type { AccountState, CreditAccount, GrantBook } from './grant-book.js';
import { BURN_PRIORITY, type Grant, type GrantSource } from './grant.js';

/** The row of an account in the types of the driver: bigint as string, timestamptz as Date. */
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
  revoked_expired: string;
  withdrawn: string;
  requested_target: string;
  reversal_target: string;
  owed: string;
  repaid: string;
  tier: string | null;
  line_id: string | null;
  subscription_id: string | null;
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
    revokedExpired: Number(row.revoked_expired),
    withdrawn: Number(row.withdrawn),
    requestedTarget: Number(row.requested_target),
    reversalTarget: Number(row.reversal_target),
    owed: Number(row.owed),
    repaid: Number(row.repaid),
    tier: row.tier ?? undefined,
    lineId: row.line_id ?? undefined,
    subscriptionId: row.subscription_id ?? undefined,
    sliceStart: row.slice_start ?? undefined,
    sliceEnd: row.slice_end ?? undefined,
    expiresAt: row.expires_at ?? undefined,
    issuedAt: row.issued_at,
  };
}

/**
 * Returns the changes to the books in the form that the writing statement needs. Buckets of existing grants are given
 * as differences, so that a change that the book has not read is not overwritten.
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
      occurred_at: transfer.occurredAt,
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
      book.repaid.map((repayment) => ({
        reversed_grant_id: repayment.reversedGrantId,
        paying_grant_id: repayment.payingGrantId,
        amount: repayment.amount,
      })),
    ),
  };
}

/** Assigns ids to a book's transfers. The ids of an account's transfers always rise. */
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
  const { granted, revokedExpired, withdrawn } = after;
  return {
    id: after.id,
    ...Object.fromEntries(changed.map((name) => [name, after[name] - before[name]])),
    granted,
    revoked_expired: revokedExpired,
    withdrawn,
    requested_target: after.requestedTarget,
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
    revoked_expired: grant.revokedExpired,
    withdrawn: grant.withdrawn,
    requested_target: grant.requestedTarget,
    reversal_target: grant.reversalTarget,
    tier: grant.tier,
    line_id: grant.lineId,
    subscription_id: grant.subscriptionId,
    slice_start: grant.sliceStart,
    slice_end: grant.sliceEnd,
    issued_at: grant.issuedAt,
    expires_at: grant.expiresAt,
  };
}
