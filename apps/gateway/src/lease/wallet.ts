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

/** What this gateway holds of one account's credits. */
export class Wallet {
  /** Open leases, the newest first. */
  private newest?: Lease = undefined;
  private queue?: Waiter[] = undefined;
  isAsking = false;
  /** No lease is asked for ahead of need until then (monotonic milliseconds). */
  noPrefetchUntilMs = 0;
  /** Spendable credits outside of our leases, at entitlement's last word. */
  spendable?: number = undefined;
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
    for (let lease = this.newest; lease !== undefined; lease = lease.nextOfWallet) {
      if (lease.hasRoomFor(cost, nowMs)) found = lease;
    }
    return found;
  }

  /** True when no other lease takes requests. */
  isOnly(lease: Lease): boolean {
    for (let other = this.newest; other !== undefined; other = other.nextOfWallet) {
      if (other !== lease && !other.isClosing) return false;
    }
    return true;
  }

  holds(lease: Lease): boolean {
    for (let other = this.newest; other !== undefined; other = other.nextOfWallet) {
      if (other === lease) return true;
    }
    return false;
  }

  add(lease: Lease): void {
    lease.nextOfWallet = this.newest;
    this.newest = lease;
  }

  remove(lease: Lease): void {
    if (this.newest === lease) this.newest = lease.nextOfWallet;
    for (let other = this.newest; other !== undefined; other = other.nextOfWallet) {
      if (other.nextOfWallet === lease) other.nextOfWallet = lease.nextOfWallet;
    }
    lease.nextOfWallet = undefined;
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

  /** The balance as the customer sees it, local use taken off; undefined before the first word. */
  get remaining(): number | undefined {
    if (this.spendable === undefined) return undefined;
    let remaining = this.spendable;
    for (let lease = this.newest; lease !== undefined; lease = lease.nextOfWallet) {
      remaining += lease.amount - lease.consumed;
    }
    return remaining;
  }

  get isIdle(): boolean {
    return this.newest === undefined && this.queue === undefined && !this.isAsking;
  }
}
