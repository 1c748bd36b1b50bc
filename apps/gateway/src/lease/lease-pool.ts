import type { Problem } from '#libs/platform';
import type { Lease } from './lease.js';

export interface Waiter {
  cost: number;
  /** The monotonic time, in milliseconds, after which the request is rejected with 503. */
  giveUpAtMs: number;
  resolve(answer: Lease | Problem): void;
}

/** The fields of a hold that affect the balance: credits charged, and credits acknowledged by entitlement. */
export interface HeldUse {
  readonly charged: number;
  readonly reported: number;
}

const NOBODY: readonly Waiter[] = [];

/** The leases that this gateway has for one account, and the requests that wait for a lease. */
export class LeasePool {
  /** The newest open lease, the start of a linked list. */
  private newest?: Lease = undefined;
  private queue?: Waiter[] = undefined;
  private holds?: Set<HeldUse> = undefined;
  isAsking = false;
  /** The monotonic time, in milliseconds, before which no lease is prefetched. */
  noPrefetchUntilMs = 0;
  /** The account's balance as last reported by entitlement, minus the usage acknowledged since then. */
  private balance?: number = undefined;
  private reports = 0;
  /** The number of the newest call at the time when a usage report last began or ended. */
  private reportedIn = 0;
  /** The credits charged since `askedAtMs`, the time at which the last lease was requested. */
  chargedSinceAsk = 0;
  askedAtMs: number;

  constructor(
    readonly accountId: string,
    nowMs: number,
  ) {
    this.askedAtMs = nowMs;
  }

  /** Returns the oldest lease with room for the cost, if any; it is also the first to end. */
  leaseWithRoom(cost: number, nowMs: number): Lease | undefined {
    let found: Lease | undefined;
    for (let lease = this.newest; lease !== undefined; lease = lease.nextInPool) {
      if (lease.hasRoomFor(cost, nowMs)) found = lease;
    }
    return found;
  }

  /** True if no other lease has room for another request with this cost. */
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

  /** The waiting requests, oldest first. */
  get waiters(): readonly Waiter[] {
    return this.queue ?? NOBODY;
  }

  enqueue(waiter: Waiter): void {
    (this.queue ??= []).push(waiter);
  }

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

  /** Records the beginning of a call that reports usage: closing a lease or reporting a hold, but not a settlement. */
  reportBegins(lastCall: number): void {
    this.reports++;
    this.reportedIn = lastCall;
  }

  reportEnds(lastCall: number): void {
    this.reports--;
    this.reportedIn = lastCall;
  }

  /** Records that entitlement has acknowledged this many more credits. */
  acknowledged(credits: number): void {
    if (this.balance !== undefined) this.balance -= credits;
  }

  /**
   * Stores a balance reported by entitlement. It includes all usage that entitlement has acknowledged, and counts
   * leased credits as available. A balance is ignored if usage was reported during its call, because the order of the
   * two is unknown.
   * @param call the number of the call; calls are numbered in the order they begin.
   */
  noteBalance(balance: number, call: number): void {
    if (this.reports === 0 && this.reportedIn < call) this.balance = balance;
  }

  /**
   * Returns the balance that the customer sees, minus unacknowledged usage; undefined before entitlement's first
   * report.
   */
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

export class LeasePools {
  private readonly pools = new Map<string, LeasePool>();
  private calls = 0;

  /** Returns the account's pool; creates it if it does not exist. */
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

  /**
   * Numbers a call to entitlement that begins now and whose answer contains a balance. Later calls
   * have greater numbers.
   */
  nextCall(): number {
    return ++this.calls;
  }

  get lastCall(): number {
    return this.calls;
  }
}
