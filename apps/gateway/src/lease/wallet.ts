import type { Problem } from '#libs/platform';
import type { Lease } from './lease.js';

/** A request that waits for credits. */
export interface Waiter {
  cost: number;
  /** Monotonic milliseconds after which it is answered 503 instead of waiting on. */
  giveUpAtMs: number;
  resolve(answer: Lease | Problem): void;
}

/** What this gateway holds of one account's credits. */
export class Wallet {
  /** Open leases; the first with room is spent from. */
  readonly leases: Lease[] = [];
  readonly waiters: Waiter[] = [];
  isAsking = false;
  /** No lease is asked for ahead of need until then (monotonic milliseconds). */
  noPrefetchUntilMs = 0;
  /** Spendable credits outside of our leases, at entitlement's last word. */
  spendable?: number;
  /** Credits charged since the last lease was asked for, and when that was. */
  chargedSinceAsk = 0;
  askedAtMs: number;

  constructor(
    readonly accountId: string,
    nowMs: number,
  ) {
    this.askedAtMs = nowMs;
  }

  leaseWithRoom(cost: number, nowMs: number): Lease | undefined {
    for (const lease of this.leases) if (lease.hasRoomFor(cost, nowMs)) return lease;
    return undefined;
  }

  /** The balance as the customer sees it, local use taken off; undefined before the first word. */
  get remaining(): number | undefined {
    if (this.spendable === undefined) return undefined;
    let remaining = this.spendable;
    for (const lease of this.leases) remaining += lease.amount - lease.consumed;
    return remaining;
  }

  get isIdle(): boolean {
    return this.leases.length === 0 && this.waiters.length === 0 && !this.isAsking;
  }

  remove(lease: Lease): void {
    const place = this.leases.indexOf(lease);
    if (place !== -1) this.leases.splice(place, 1);
  }
}
