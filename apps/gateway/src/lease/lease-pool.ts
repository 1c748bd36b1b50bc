import type { Problem } from '#libs/platform';
import type { Lease } from './lease.js';

/** A request that waits for credits. */
export interface Waiter {
  cost: number;
  /** The monotonic time in milliseconds after which it is answered with 503. */
  giveUpAtMs: number;
  resolve(answer: Lease | Problem): void;
}

/** The part of a hold that affects the balance: credits charged, and credits that entitlement has acknowledged. */
export interface HeldUse {
  readonly charged: number;
  readonly reported: number;
}

const NOBODY: readonly Waiter[] = [];

/** The leases that this gateway holds for one account, and the requests that wait for one. */
export class LeasePool {
  /** Open leases, the newest first. */
  private newest?: Lease = undefined;
  private queue?: Waiter[] = undefined;
  /** Open holds of requests. */
  private holds?: Set<HeldUse> = undefined;
  isAsking = false;
  /** No lease is prefetched before this time (monotonic milliseconds). */
  noPrefetchUntilMs = 0;
  /** The account's balance as last reported by entitlement, minus the use acknowledged since. */
  private balance?: number = undefined;
  /** How many calls that report usage are running. */
  private reports = 0;
  /** The number of the newest call at the time when such a call last began or ended. */
  private reportedIn = 0;
  /** Credits charged since the last lease was requested, and the time of that request. */
  chargedSinceAsk = 0;
  askedAtMs: number;

  constructor(
    readonly accountId: string,
    nowMs: number,
  ) {
    this.askedAtMs = nowMs;
  }

  /** Returns the oldest lease with room: the lease that ends first is spent first. */
  leaseWithRoom(cost: number, nowMs: number): Lease | undefined {
    let found: Lease | undefined;
    for (let lease = this.newest; lease !== undefined; lease = lease.nextInPool) {
      if (lease.hasRoomFor(cost, nowMs)) found = lease;
    }
    return found;
  }

  /** True if no other lease has room for another request of that cost. */
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

  /** Waiting requests, in order. */
  get waiters(): readonly Waiter[] {
    return this.queue ?? NOBODY;
  }

  enqueue(waiter: Waiter): void {
    (this.queue ??= []).push(waiter);
  }

  /** Removes and returns the waiters that can be answered now. */
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

  /**
   * Records that a call which reports usage begins. Usage is also reported outside settlements: when a lease is closed,
   * or when part of a hold is used.
   */
  reportBegins(lastCall: number): void {
    this.reports++;
    this.reportedIn = lastCall;
  }

  reportEnds(lastCall: number): void {
    this.reports--;
    this.reportedIn = lastCall;
  }

  /** Records that entitlement has acknowledged this many more credits of our usage. */
  acknowledged(credits: number): void {
    if (this.balance !== undefined) this.balance -= credits;
  }

  /**
   * Stores the balance that entitlement reported. It includes all usage that entitlement has acknowledged, and credits
   * that are leased. If usage was reported while the call was running, the order of the two is unknown, and the balance
   * is ignored.
   * @param call the number of the call; calls are numbered in the order in which they begin.
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

/** The pools of all accounts that have a lease, a hold or a waiting request. */
export class LeasePools {
  private readonly pools = new Map<string, LeasePool>();
  private calls = 0;

  /** Creates the pool if there is none. */
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

  /** Returns a number for a call that begins now and returns a balance. */
  nextCall(): number {
    return ++this.calls;
  }

  /** The number of the latest call. */
  get lastCall(): number {
    return this.calls;
  }
}
