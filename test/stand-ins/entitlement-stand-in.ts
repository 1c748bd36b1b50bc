import type { IncomingMessage } from 'node:http';
import type {
  AccessBlock,
  Allowance,
  CreditsByOperation,
  HoldAnswer,
  LeaseAnswer,
  LeaseUse,
  MonitorSlots,
  WorkDay,
} from '#libs/contracts';
import { JsonServer, ListFeed } from './json-server.js';

interface Lease {
  accountId: string;
  amount: number;
  consumed: number;
  operations?: CreditsByOperation;
  isClosed: boolean;
}

interface Hold {
  accountId: string;
  amount: number;
  /** Credits by part. Only the first count of each part is kept. */
  parts: Map<string, number>;
  isClosed: boolean;
}

interface HoldRequest {
  holdId: string;
  amount: number;
  part: string;
  count: number;
}

interface Acquire {
  leaseId: string;
  min: number;
  wanted: number;
}

const NONE: Set<Lease> = new Set();

/**
 * A stand-in for entitlement that provides what the gateway needs: an allowance, a balance and leases for any account.
 */
export class EntitlementStandIn extends JsonServer {
  readonly feed = new ListFeed();
  readonly leases = new Map<string, Lease>();
  readonly holds = new Map<string, Hold>();
  /** An index of the open leases, for a benchmark with 100,000 accounts. */
  private readonly openByAccount = new Map<string, Set<Lease>>();
  private readonly closedUse = new Map<string, number>();
  readonly recalled = new Set<string>();
  readonly balances = new Map<string, number>();
  readonly limits = new Map<string, number>();
  bulkLimit = 5;
  readonly blocks = new Map<string, AccessBlock[]>();
  /** The number of monitors that an account may have; by default, that of the trial. */
  readonly monitors = new Map<string, MonitorSlots>();
  readonly datasets = new Map<string, string[]>();
  readonly work = new Map<string, WorkDay[]>();
  defaultBalance = 1_000;
  defaultLimit = 1_000;
  keys = 1;
  validUntil: string | undefined;
  ttlMs = 60_000;
  leaseMax = 1_000;
  /** While true, requests for leases are answered with `elsewhere`. */
  isElsewhere = false;

  charged(accountId: string): number {
    let byLeases = this.closedUse.get(accountId) ?? 0;
    for (const { consumed } of this.openOf(accountId)) byLeases += consumed;
    return byLeases + this.holdsOf(accountId).reduce((sum, hold) => sum + usedOf(hold), 0);
  }

  openHolds(accountId: string): number {
    return this.holdsOf(accountId).filter(({ isClosed }) => !isClosed).length;
  }

  openLeases(accountId: string): number {
    return this.openOf(accountId).size;
  }

  available(accountId: string): number {
    return this.balances.get(accountId) ?? this.defaultBalance;
  }

  /** The available credits, and the unused credits of open leases and holds. */
  balance(accountId: string): number {
    let balance = this.available(accountId);
    for (const { amount, consumed } of this.openOf(accountId)) balance += amount - consumed;
    for (const hold of this.holdsOf(accountId)) {
      if (!hold.isClosed) balance += hold.amount - usedOf(hold);
    }
    return balance;
  }

  protected answer(request: IncomingMessage, body: unknown): object {
    const accountId = String(request.headers['x-account-id']);
    switch (request.url?.split('?')[0]) {
      case '/internal/allowance':
        return this.allowance(accountId);
      case '/internal/balance':
        return { spendable: this.available(accountId) };
      case '/internal/used-by-work':
        return this.work.get(accountId) ?? [];
      case '/internal/leases':
        return this.acquire(accountId, body as Acquire);
      case '/internal/leases/settle':
        return this.settle(...settlementOf(body));
      case '/internal/leases/close':
        for (const use of (body as { leases: LeaseUse[] }).leases) this.close(use);
        return {};
      case '/internal/holds':
        return this.hold(accountId, body as HoldRequest);
      case '/internal/holds/settle': {
        const { holdId, part, count } = body as HoldRequest;
        const { parts } = this.holds.get(holdId)!;
        if (!parts.has(part)) parts.set(part, count);
        return {};
      }
      case '/internal/holds/close':
        this.closeHold(accountId, (body as HoldRequest).holdId);
        return {};
      case '/internal/account/usage-v1':
        return {};
      default:
        return this.feed.page((body as { cursor?: { snapshot: string } }).cursor);
    }
  }

  private openOf(accountId: string): Set<Lease> {
    return this.openByAccount.get(accountId) ?? NONE;
  }

  addLease(leaseId: string, lease: Lease): void {
    this.leases.set(leaseId, lease);
    const { accountId } = lease;
    if (lease.isClosed) this.addClosedUse(accountId, lease.consumed);
    else this.openByAccount.set(accountId, new Set(this.openOf(accountId)).add(lease));
  }

  private addClosedUse(accountId: string, credits: number): void {
    this.closedUse.set(accountId, (this.closedUse.get(accountId) ?? 0) + credits);
  }

  private holdsOf(accountId: string): Hold[] {
    return [...this.holds.values()].filter((hold) => hold.accountId === accountId);
  }

  private allowance(accountId: string): Allowance {
    const live = this.limits.get(accountId) ?? this.defaultLimit;
    return {
      accountId,
      version: '1',
      limits: { live, bulk: this.bulkLimit, heavy: 3, account: 60 },
      keys: this.keys,
      monitors: this.monitors.get(accountId) ?? { domain: 1, brand: 0, registrant: 0 },
      datasets: this.datasets.get(accountId) ?? [],
      blocks: this.blocks.get(accountId) ?? [],
      validUntil: this.validUntil,
    };
  }

  private acquire(accountId: string, { leaseId, min, wanted }: Acquire): LeaseAnswer {
    const available = this.available(accountId);
    const balance = this.balance(accountId);
    if (this.isElsewhere) return { outcome: 'elsewhere', spendable: available, balance };
    if (this.leases.has(leaseId) || available < min) {
      return { outcome: 'insufficient', spendable: available, balance };
    }
    const amount = Math.max(min, Math.min(wanted, available, this.leaseMax));
    this.balances.set(accountId, available - amount);
    this.addLease(leaseId, { accountId, amount, consumed: 0, isClosed: false });
    const spendable = available - amount;
    return { outcome: 'granted', amount, ttlMs: this.ttlMs, spendable, balance };
  }

  private hold(accountId: string, { holdId, amount }: HoldRequest): HoldAnswer {
    const available = this.available(accountId);
    const balance = this.balance(accountId);
    const known = this.holds.get(holdId);
    if (known?.isClosed) return { outcome: 'closed', spendable: available, balance };
    if (known) return { outcome: 'held', amount: known.amount, spendable: available, balance };
    if (this.isElsewhere) return { outcome: 'elsewhere', spendable: available, balance };
    if (available < amount) return { outcome: 'insufficient', spendable: available, balance };
    this.balances.set(accountId, available - amount);
    this.holds.set(holdId, { accountId, amount, parts: new Map(), isClosed: false });
    return { outcome: 'held', amount, spendable: available - amount, balance };
  }

  private closeHold(accountId: string, holdId: string): void {
    const hold = this.holds.get(holdId);
    if (hold === undefined || hold.isClosed) return;
    hold.isClosed = true;
    const left = hold.amount - usedOf(hold);
    this.balances.set(accountId, this.available(accountId) + left);
  }

  private settle(uses: LeaseUse[], accounts: string[]): object {
    for (const use of uses) this.apply(use);
    const ids = [...accounts, ...uses.map(({ accountId }) => accountId)];
    const balances = Object.fromEntries(ids.map((id) => [id, this.balance(id)]));
    return { recalled: [...this.recalled], balances };
  }

  private close(use: LeaseUse): void {
    const { accountId } = use;
    this.apply(use);
    const lease = this.leases.get(use.leaseId)!;
    if (!lease.isClosed) {
      this.balances.set(accountId, this.available(accountId) + lease.amount - lease.consumed);
      this.openOf(accountId).delete(lease);
      this.addClosedUse(accountId, lease.consumed);
    }
    lease.isClosed = true;
    this.recalled.delete(use.leaseId);
  }

  /**
   * Records the consumed credits of a lease. An unknown lease is stored as closed, so that it cannot be acquired later.
   */
  private apply({ leaseId, accountId, consumed, operations }: LeaseUse): void {
    const known = this.leases.get(leaseId);
    const lease = known ?? { accountId, amount: 0, consumed: 0, isClosed: true };
    if (!known) this.addLease(leaseId, lease);
    if (consumed > lease.consumed) lease.operations = operations;
    const further = Math.max(0, consumed - lease.consumed);
    lease.consumed += further;
    if (lease.isClosed) this.addClosedUse(accountId, further);
  }
}

function usedOf({ parts }: Hold): number {
  return [...parts.values()].reduce((sum, count) => sum + count, 0);
}

function settlementOf(body: unknown): [LeaseUse[], string[]] {
  const { leases, accounts } = body as { leases: LeaseUse[]; accounts: string[] };
  return [leases, accounts];
}
