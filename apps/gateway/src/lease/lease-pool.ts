import type { Problem } from '#libs/platform';
import type { Lease } from './lease.js';

/** A request that waits for credits. */
export interface Waiter {
  cost: number;
  /** Monotonic milliseconds after which it is answered 503 instead of waiting on. */
  giveUpAtMs: number;
  resolve(answer: Lease | Problem): void;
}

/** A request's hold as far as the balance matters: credits charged, and those that entitlement has acknowledged. */
export interface HeldUse {
  readonly charged: number;
  readonly reported: number;
}

const NOBODY: readonly Waiter[] = [];

/** The leases that this gateway holds of one account, and the requests that wait for one. */
export class LeasePool {
  /** Open leases, the newest first. */
  private newest?: Lease = undefined;
  private queue?: Waiter[] = undefined;
  /** Open holds of requests. */
  private holds?: Set<HeldUse> = undefined;
  isAsking = false;
  /** No lease is asked for ahead of need until then (monotonic milliseconds). */
  noPrefetchUntilMs = 0;
  /** The account's balance at entitlement's last word, less what was reported since. */
  private balance?: number = undefined;
  /** Calls under way that report use by themselves, and which call had begun last when one began or ended. */
  private reports = 0;
  private reportedIn = 0;
  /** Credits charged since the last lease was asked for, and when that was. */
  chargedSinceAsk = 0;
  askedAtMs: number;

  constructor(
    readonly accountId: string,
    nowMs: number,
  ) {
    this.askedAtMs = nowMs;
  }

  /** The oldest lease with room: what ends first is spent first. */
  leaseWithRoom(cost: number, nowMs: number): Lease | undefined {
    let found: Lease | undefined;
    for (let lease = this.newest; lease !== undefined; lease = lease.nextInPool) {
      if (lease.hasRoomFor(cost, nowMs)) found = lease;
    }
    return found;
  }

  /** True when no other lease would take another request of that cost. */
  isOnly(lease: Lease, cost: number, nowMs: number): boolean {
    for (let other = this.newest; other !== undefined; other = other.nextInPool) {
      if (other !== lease && other.hasRoomFor(cost, nowMs)) return false;
    }
    return true;
  }

  add(lease: Lease): void {
    lease.nextInPool = this.newest;
    this.newest = lease;
  }

  remove(lease: Lease): void {
    if (this.newest === lease) this.newest = lease.nextInPool;
    for (let other = this.newest; other !== undefined; other = other.nextInPool) {
      if (other.nextInPool === lease) other.nextInPool = lease.nextInPool;
    }
    lease.nextInPool = undefined;
  }

  /** Requests that wait, in their order. */
  get waiters(): readonly Waiter[] {
    return this.queue ?? NOBODY;
  }

  enqueue(waiter: Waiter): void {
    (this.queue ??= []).push(waiter);
  }

  /** Takes those out of the queue who are to be answered now. */
  dequeue(isNow: (waiter: Waiter) => boolean): Waiter[] {
    const now = this.waiters.filter((waiter) => isNow(waiter));
    const later = this.waiters.filter((waiter) => !now.includes(waiter));
    this.queue = later.length === 0 ? undefined : later;
    return now;
  }

  dequeueFirst(): Waiter | undefined {
    const first = this.queue?.shift();
    if (this.queue?.length === 0) this.queue = undefined;
    return first;
  }

  addHold(hold: HeldUse): void {
    (this.holds ??= new Set()).add(hold);
  }

  removeHold(hold: HeldUse): void {
    this.holds?.delete(hold);
    if (this.holds?.size === 0) this.holds = undefined;
  }

  /** Use is told to entitlement beside the settlements: the close of a lease, a part of a hold. */
  reportBegins(lastCall: number): void {
    this.reports++;
    this.reportedIn = lastCall;
  }

  reportEnds(lastCall: number): void {
    this.reports--;
    this.reportedIn = lastCall;
  }

  /** So many credits of our use are entitlement's from now on. */
  acknowledged(credits: number): void {
    if (this.balance !== undefined) this.balance -= credits;
  }

  /**
   * Takes entitlement's word on the balance, in which everything is that it has acknowledged of our use. Credits
   * that move into a lease or back stay in it. A call during which use was reported beside it may have come
   * before or after that report: its word counts for nothing.
   * @param call its number; numbers rise with the beginnings of calls.
   */
  noteBalance(balance: number, call: number): void {
    if (this.reports === 0 && this.reportedIn < call) this.balance = balance;
  }

  /** The balance as the customer sees it, use taken off that is not acknowledged; undefined before the first word. */
  get remaining(): number | undefined {
    if (this.balance === undefined) return undefined;
    let remaining = this.balance;
    for (let lease = this.newest; lease !== undefined; lease = lease.nextInPool) {
      remaining -= lease.consumed - lease.settled;
    }
    if (this.holds !== undefined) {
      for (const { charged, reported } of this.holds) remaining -= charged - reported;
    }
    return remaining;
  }

  get isIdle(): boolean {
    const isEmpty = this.newest === undefined && this.queue === undefined;
    return isEmpty && this.holds === undefined && !this.isAsking;
  }
}

/** The pools of all accounts that have a lease, a hold or somebody who waits. */
export class LeasePools {
  private readonly pools = new Map<string, LeasePool>();
  private calls = 0;

  /** Makes one where there is none. */
  of(accountId: string, nowMs: number): LeasePool {
    let pool = this.pools.get(accountId);
    if (pool === undefined) {
      pool = new LeasePool(accountId, Math.floor(nowMs));
      this.pools.set(accountId, pool);
    }
    return pool;
  }

  get(accountId: string): LeasePool | undefined {
    return this.pools.get(accountId);
  }

  forgetIfIdle(pool: LeasePool): void {
    if (pool.isIdle) this.pools.delete(pool.accountId);
  }

  /** The number of a call that begins now and is answered with a balance. */
  nextCall(): number {
    return ++this.calls;
  }

  /** The number of the call that began last. */
  get lastCall(): number {
    return this.calls;
  }
}
