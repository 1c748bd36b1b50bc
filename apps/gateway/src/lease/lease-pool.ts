import type { Problem } from '#libs/platform';
import type { Lease } from './lease.js';

/** A request that waits for credits. */
export interface Waiter {
  cost: number;
  /** Monotonic milliseconds after which it is answered 503 instead of waiting on. */
  giveUpAtMs: number;
  resolve(answer: Lease | Problem): void;
}

const NOBODY: readonly Waiter[] = [];

/** The leases that this gateway holds of one account, and the requests that wait for one. */
export class LeasePool {
  /** Open leases, the newest first. */
  private newest?: Lease = undefined;
  private queue?: Waiter[] = undefined;
  isAsking = false;
  /** No lease is asked for ahead of need until then (monotonic milliseconds). */
  noPrefetchUntilMs = 0;
  /** The account's balance at entitlement's last word, less what leases used that were closed since. */
  private balance?: number = undefined;
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

  private holds(lease: Lease): boolean {
    for (let other = this.newest; other !== undefined; other = other.nextInPool) {
      if (other === lease) return true;
    }
    return false;
  }

  add(lease: Lease): void {
    lease.nextInPool = this.newest;
    this.newest = lease;
  }

  /** A closed lease: its use is entitlement's from now on. */
  remove(lease: Lease): void {
    if (this.balance !== undefined && this.holds(lease)) {
      this.balance -= lease.consumed - lease.settled;
    }
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

  /**
   * Takes entitlement's word on the balance, in which everything is that it has acknowledged of our use. Credits
   * that move into a lease or back stay in it.
   */
  noteBalance(balance: number): void {
    this.balance = balance;
  }

  /** The balance as the customer sees it, use taken off that is not acknowledged; undefined before the first word. */
  get remaining(): number | undefined {
    if (this.balance === undefined) return undefined;
    let remaining = this.balance;
    for (let lease = this.newest; lease !== undefined; lease = lease.nextInPool) {
      remaining -= lease.consumed - lease.settled;
    }
    return remaining;
  }

  get isIdle(): boolean {
    return this.newest === undefined && this.queue === undefined && !this.isAsking;
  }
}
