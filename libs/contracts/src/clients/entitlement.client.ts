import type { BalanceAnswer, LedgerAnswer, LedgerLine } from '../operations/account/balance.js';
import type { WorkDay } from '../operations/usage/usage.js';
import type { RateClass } from '../operations/access.js';
import type { MonitorSlots } from '../events/billing/subscription-changed.js';
import type { ChangeCursor, ChangePage } from './change-feed.js';
import type {
  GrantPage,
  LedgerChanges,
  LineSums,
  Owned,
  SetAsideAccount,
  SetAsideLease,
  BalanceExplanation,
} from './entitlement-holdings.js';
import { type TimelineEntry, type TimelineQuestion, timelinePath } from './timeline.js';
import type { ServiceHttp } from './service-http.js';

export type BlockCause = 'overdue' | 'deletion' | 'suspension' | 'fraud' | 'admin';

/** The causes of a block that an operator may set. The other causes follow the account's state. */
export const OPERATOR_BLOCK_CAUSES = ['overdue', 'fraud', 'admin'] as const;
export type OperatorBlockCause = (typeof OPERATOR_BLOCK_CAUSES)[number];

/** The limits that an operator may override; an override replaces the computed value. */
export const OVERRIDABLE_LIMITS = [
  'live',
  'bulk',
  'heavy',
  'account',
  'keys',
  'monitors.domain',
  'monitors.brand',
  'monitors.registrant',
] as const;
export type OverridableLimit = (typeof OVERRIDABLE_LIMITS)[number];

export const BLOCKED_PARTS = ['api', 'downloads', 'purchases'] as const;
export type BlockedPart = (typeof BLOCKED_PARTS)[number];

/** A restriction of an account's rights, until `to` or until it is lifted. */
export interface AccessBlock {
  cause: BlockCause;
  blocks: readonly BlockedPart[];
  /** RFC 3339. */
  from: string;
  to?: string;
}

export interface Allowance {
  accountId: string;
  /** A rising decimal string; an older version never replaces a newer one. */
  version: string;
  /** Requests per minute by class (`account` is the same for all accounts). */
  limits: Record<RateClass, number>;
  keys: number;
  monitors: MonitorSlots;
  datasets: string[];
  blocks: AccessBlock[];
  /**
   * RFC 3339: the next time at which this answer changes because of time alone. Do not use the answer after that time.
   */
  validUntil?: string;
}

export interface AcquireLease {
  /** The lease's id. The gateway chooses one per attempt, and the same id always gets the same answer. */
  leaseId: string;
  accountId: string;
  gatewayId: string;
  min: number;
  /** The credits that the holder requests in advance (30 s of its recent use). */
  wanted: number;
}

/**
 * `granted`: spend up to `amount` within `ttlMs` of the request. `insufficient`: the account has too few credits (402).
 * `elsewhere`: there are enough credits, but they are leased to other holders, whose leases are being recalled: wait,
 * then answer 503. `closed`: this id was closed before and will never be granted again.
 */
export type LeaseOutcome =
  | { outcome: 'granted'; amount: number; ttlMs: number; spendable: number }
  | { outcome: 'insufficient'; spendable: number }
  | { outcome: 'elsewhere'; spendable: number }
  | { outcome: 'closed'; spendable: number };

/**
 * `balance`: the credits that can still be used, which are the spendable credits and the reserved credits not yet
 * reported as used.
 */
export type LeaseAnswer = LeaseOutcome & { balance: number };

export type CreditsByOperation = Readonly<Record<string, number>>;

export interface LeaseUse {
  leaseId: string;
  accountId: string;
  /** Cumulative credits used under this lease; never decreases. */
  consumed: number;
  /** The usage by operation, also cumulative; usage without an operation counts as `other`. */
  operations?: CreditsByOperation;
}

export interface SettleAnswer {
  /** The leases whose unused credits entitlement recalls. */
  recalled: string[];
  /**
   * The credits that the accounts can still use: spendable credits, and reserved credits that are not yet reported as
   * used, over all gateways. Moving credits into leases and back does not change this.
   */
  balances: Record<string, number>;
}

export interface OpenHold {
  /** The Idempotency-Key or the request id; unique within an account. */
  holdId: string;
  accountId: string;
  amount: number;
  /** Milliseconds after which the reaper may close the hold; absent for a job's hold. */
  ttlMs?: number;
  /** The operation that uses the credits; `other` by default. */
  operation?: string;
}

export type HoldOutcome =
  | { outcome: 'held'; amount: number; spendable: number }
  | { outcome: 'insufficient'; spendable: number }
  | { outcome: 'elsewhere'; spendable: number }
  | { outcome: 'closed'; spendable: number };

/** `balance`: as in `LeaseAnswer`. */
export type HoldAnswer = HoldOutcome & { balance: number };

/** What the dashboard's overview shows of an account's credits and rights, as of one moment. */
export interface CreditsOverview {
  balance: BalanceAnswer;
  allowance: Allowance;
  /** The newest lines of the ledger, newest first. */
  ledger: LedgerLine[];
  changes: LedgerChanges;
}

/**
 * Returns the credits that an account lacks for a price. Credits that lookups have set aside do not count as lacking.
 */
export function shortfallOf(
  // An earlier release of entitlement does not report `recallable`.
  { spendable, recallable = 0 }: Pick<BalanceAnswer, 'spendable' | 'recallable'>,
  price: number,
): number {
  return Math.max(0, price - spendable - recallable);
}

export class EntitlementClient {
  constructor(private readonly http: ServiceHttp) {}

  async allowance(accountId: string): Promise<Allowance> {
    return this.http.call('GET', '/internal/allowance', { accountId });
  }

  async acquire({ accountId, ...body }: AcquireLease): Promise<LeaseAnswer> {
    return this.http.call('POST', '/internal/leases', { accountId, body });
  }

  /**
   * Reports the usage of leases. While a lease is open, this is called every 100 ms, even without any usage, because
   * the answer may recall leases.
   * @param accounts whose balances are requested in addition to the accounts of the leases; at most 1,000.
   */
  async settle(
    gatewayId: string,
    leases: LeaseUse[],
    accounts: string[] = [],
  ): Promise<SettleAnswer> {
    const body = { gatewayId, leases, accounts };
    return this.http.call('POST', '/internal/leases/settle', { body });
  }

  /**
   * Closes up to 1,000 leases and returns their unused credits. For an unknown id, entitlement stores a tombstone, so
   * that a late request for that lease gets `closed`. If a lease cannot be booked, entitlement sets it aside, so that
   * the other leases are not delayed.
   */
  async closeAll(leases: LeaseUse[]): Promise<void> {
    await this.http.call('POST', '/internal/leases/close', { body: { leases } });
  }

  /** Closes a lease, as `closeAll` does. */
  async close(lease: LeaseUse): Promise<void> {
    await this.closeAll([lease]);
  }

  async hold({ accountId, ...body }: OpenHold): Promise<HoldAnswer> {
    return this.http.call('POST', '/internal/holds', { accountId, body });
  }

  /** Reports the usage of a part of a hold. Only the first report of a part counts. */
  async settleHold(accountId: string, holdId: string, part: string, count: number): Promise<void> {
    await this.http.call('POST', '/internal/holds/settle', {
      accountId,
      body: { holdId, part, count },
    });
  }

  async closeHold(accountId: string, holdId: string): Promise<void> {
    await this.http.call('POST', '/internal/holds/close', { accountId, body: { holdId } });
  }

  async balance(accountId: string): Promise<BalanceAnswer> {
    return this.http.call('GET', '/internal/balance', { accountId });
  }

  /** @param cursor the start of the page; by default, the newest lines. @param pageSize 50 by default, at most 1,000. */
  async ledger(accountId: string, cursor?: string, pageSize?: number): Promise<LedgerAnswer> {
    const query = new URLSearchParams({
      ...(cursor && { cursor }),
      ...(pageSize && { page_size: String(pageSize) }),
    }).toString();
    return this.http.call('GET', `/internal/ledger${query && `?${query}`}`, { accountId });
  }

  /** Returns the credits charged for work outside of requests. @param days inclusive, as `YYYY-MM-DD`. */
  async usedByWork(accountId: string, days: { from: string; to: string }): Promise<WorkDay[]> {
    return this.http.call('GET', `/internal/used-by-work?${new URLSearchParams(days)}`, {
      accountId,
    });
  }

  async overview(accountId: string): Promise<CreditsOverview> {
    return this.http.call('GET', '/internal/overview', { accountId });
  }

  /**
   * Operators: grants credits manually, with a reason.
   * @returns whether the adjustment is new; the same id counts once.
   */
  async grantByOperator(
    accountId: string,
    body: { adjustmentId: string; amount: number; reason: string; expiresAt?: string },
  ): Promise<{ isNew: boolean }> {
    return this.http.call('POST', '/internal/operator/grants', { accountId, body });
  }

  /** Operators: replaces a computed limit until a time (RFC 3339). */
  async overrideLimit(
    accountId: string,
    body: { name: OverridableLimit; value: number; reason: string; until: string },
  ): Promise<void> {
    await this.http.call('POST', '/internal/operator/overrides', { accountId, body });
  }

  /** Operators: ends every override of a limit now; `hasChanged` is false if there was none. */
  async liftOverride(accountId: string, name: OverridableLimit): Promise<{ hasChanged: boolean }> {
    return this.http.call('POST', '/internal/operator/overrides/lift', {
      accountId,
      body: { name },
    });
  }

  /** Operators: restricts rights from now until `to` or until the block is lifted. */
  async block(
    accountId: string,
    body: Omit<AccessBlock, 'from'> & { cause: OperatorBlockCause; reason: string },
  ): Promise<void> {
    await this.http.call('POST', '/internal/operator/blocks', { accountId, body });
  }

  async liftBlock(accountId: string, cause: OperatorBlockCause): Promise<void> {
    await this.http.call('POST', '/internal/operator/blocks/lift', { accountId, body: { cause } });
  }

  /**
   * Operators: takes spendable credits away, in the order in which they would be used, with a reason.
   * @returns how many were taken, at most `amount`; the same id counts once and returns the same answer.
   */
  async revokeByOperator(
    accountId: string,
    body: { revocationId: string; amount: number; reason: string },
  ): Promise<{ isNew: boolean; revoked: number }> {
    return this.http.call('POST', '/internal/operator/revocations', { accountId, body });
  }

  /** Operators: lists the events of an account that entitlement has recorded. */
  async timeline(accountId: string, question: TimelineQuestion): Promise<TimelineEntry[]> {
    return this.http.call('GET', timelinePath(question), { accountId });
  }

  async explainBalance(accountId: string): Promise<BalanceExplanation> {
    return this.http.call('GET', '/internal/operator/explanation', { accountId });
  }

  /** Operators: lists accounts whose due dates cannot be applied, oldest first; at most 200. */
  async setAsideAccounts(): Promise<SetAsideAccount[]> {
    return this.http.call('GET', '/internal/operator/set-aside/accounts');
  }

  /** Operators: lists leases whose usage cannot be booked, oldest first; at most 200. */
  async setAsideLeases(): Promise<SetAsideLease[]> {
    return this.http.call('GET', '/internal/operator/set-aside/leases');
  }

  /** Returns the states of up to 1,000 payment lines of any account; unknown lines are left out. */
  async lineSums(lineIds: string[]): Promise<LineSums[]> {
    return this.http.call('POST', '/internal/reconciliation/lines', { body: { lineIds } });
  }

  async owned(accountId: string): Promise<Owned> {
    return this.http.call('GET', '/internal/owned', { accountId });
  }

  /** Returns every grant with its source, newest first. */
  async grants(accountId: string, cursor?: string): Promise<GrantPage> {
    const query = cursor ? `?cursor=${encodeURIComponent(cursor)}` : '';
    return this.http.call('GET', `/internal/grants${query}`, { accountId });
  }

  async changes(cursor?: ChangeCursor): Promise<ChangePage> {
    return this.http.call('POST', '/internal/changes', { body: cursor ? { cursor } : {} });
  }
}
