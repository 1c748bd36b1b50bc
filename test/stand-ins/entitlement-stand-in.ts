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

/** Credits that are set aside in a lease or a hold. */
interface Reservation {
  accountId: string;
  amount: number;
  consumed: number;
  isClosed: boolean;
  /** The use of a lease by operation, as last reported. */
  operations?: CreditsByOperation;
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

/** A stand-in for entitlement that provides what the gateway and the worker need, for any account. */
export class EntitlementStandIn extends JsonServer {
  readonly feed = new ListFeed();
  readonly leases = new Map<string, Reservation>();
  /** The holds by id. Each part of a hold is charged only once. */
  private readonly holds = new Map<string, Reservation & { parts: Set<string> }>();
  private readonly used = new Map<string, number>();
  /** Unused credits of open leases and holds, by account. */
  private readonly reserved = new Map<string, number>();
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
  /** The credits of each account that lookups have set aside, in addition to `balances`. */
  recallable = 0;
  /** While true, requests for leases are answered with `elsewhere`. */
  isElsewhere = false;

  charged(accountId: string): number {
    return this.used.get(accountId) ?? 0;
  }

  openHolds(accountId: string): number {
    return openOf(this.holds, accountId);
  }

  openLeases(accountId: string): number {
    return openOf(this.leases, accountId);
  }

  available(accountId: string): number {
    return this.balances.get(accountId) ?? this.defaultBalance;
  }

  /** Returns the available credits and the unused credits of open leases and holds. */
  balance(accountId: string): number {
    return this.available(accountId) + (this.reserved.get(accountId) ?? 0);
  }

  addLease(leaseId: string, lease: Reservation): void {
    this.leases.set(leaseId, lease);
    if (!lease.isClosed) increase(this.reserved, lease.accountId, lease.amount);
  }

  protected override answer(request: IncomingMessage, body: unknown): object {
    const accountId = String(request.headers['x-account-id']);
    switch (request.url?.split('?')[0]) {
      case '/internal/allowance':
        return this.allowance(accountId);
      case '/internal/balance':
        return { spendable: this.available(accountId), recallable: this.recallable, frozen: 0 };
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
        const hold = this.holds.get(holdId)!;
        if (!hold.parts.has(part)) this.consume(hold, count);
        hold.parts.add(part);
        return {};
      }
      case '/internal/holds/close':
        this.release(this.holds.get((body as HoldRequest).holdId));
        return {};
      case '/internal/account/usage-v1':
        return {};
      default:
        return this.feed.page((body as { cursor?: { snapshot: string } }).cursor);
    }
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
    const hold = { accountId, amount, consumed: 0, isClosed: false, parts: new Set<string>() };
    this.holds.set(holdId, hold);
    increase(this.reserved, accountId, amount);
    return { outcome: 'held', amount, spendable: available - amount, balance };
  }

  private settle(uses: LeaseUse[], accounts: string[]): object {
    for (const use of uses) this.apply(use);
    const ids = [...accounts, ...uses.map(({ accountId }) => accountId)];
    const balances = Object.fromEntries(ids.map((id) => [id, this.balance(id)]));
    return { recalled: [...this.recalled], balances };
  }

  private close(use: LeaseUse): void {
    this.apply(use);
    this.release(this.leases.get(use.leaseId));
    this.recalled.delete(use.leaseId);
  }

  /** Records the consumed credits of a lease. An unknown lease is stored as closed, and so never granted. */
  private apply({ leaseId, accountId, consumed, operations }: LeaseUse): void {
    const known = this.leases.get(leaseId);
    const lease: Reservation = known ?? { accountId, amount: 0, consumed: 0, isClosed: true };
    if (!known) this.addLease(leaseId, lease);
    if (consumed <= lease.consumed) return;
    lease.operations = operations;
    this.consume(lease, consumed - lease.consumed);
  }

  private consume(from: Reservation, credits: number): void {
    from.consumed += credits;
    increase(this.used, from.accountId, credits);
    if (!from.isClosed) increase(this.reserved, from.accountId, -credits);
  }

  /** Closes a lease or hold, and returns its unused credits. */
  private release(open?: Reservation): void {
    if (!open || open.isClosed) return;
    const { accountId, amount, consumed } = open;
    open.isClosed = true;
    increase(this.reserved, accountId, consumed - amount);
    this.balances.set(accountId, this.available(accountId) + amount - consumed);
  }
}

function increase(sums: Map<string, number>, accountId: string, by: number): void {
  sums.set(accountId, (sums.get(accountId) ?? 0) + by);
}

function openOf(all: ReadonlyMap<string, Reservation>, accountId: string): number {
  return [...all.values()].filter((one) => one.accountId === accountId && !one.isClosed).length;
}

function settlementOf(body: unknown): [LeaseUse[], string[]] {
  const { leases, accounts } = body as { leases: LeaseUse[]; accounts: string[] };
  return [leases, accounts];
}
