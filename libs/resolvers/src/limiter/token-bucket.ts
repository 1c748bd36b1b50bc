import type { BucketTerms } from './upstream-limits.js';

/** A bucket of tokens that refill over time. The bucket starts full. Times are monotonic milliseconds. */
export class TokenBucket {
  private tokens: number;
  /** The part of the limit that this process may use; 1 if the limit is not shared, or is shared through a server. */
  private part = 1;

  constructor(
    readonly terms: BucketTerms,
    private filledAt: number,
  ) {
    this.tokens = terms.burst;
  }

  /** Returns the number of milliseconds until there is a token; 0 if there is one. */
  waitMs(now: number): number {
    this.fill(now);
    // A token that is incomplete only by a rounding error counts as complete; otherwise the wait would shrink towards 0
    // forever.
    if (this.tokens >= 1 - 1e-9) return 0;
    return Math.ceil(((1 - this.tokens) / (this.terms.perSecond * this.part)) * 1000);
  }

  left(now: number): number {
    this.fill(now);
    return this.tokens;
  }

  take(now: number): void {
    this.fill(now);
    this.tokens -= 1;
  }

  /** Adopts the number of remaining tokens that the server has reported for all processes. */
  adopt(left: number, now: number): void {
    this.part = 1;
    this.tokens = left;
    this.filledAt = now;
  }

  /** Restricts this process, from now on, to one part in `processes` of the tokens and of the refill. */
  divide(processes: number, now: number): void {
    this.fill(now);
    const part = 1 / processes;
    if (part < this.part) this.tokens *= part / this.part;
    this.part = part;
  }

  /** Returns how many of the tokens that were spent without the server have not been refilled yet. */
  owed(spent: number, now: number): number {
    this.fill(now);
    return Math.min(spent, Math.max(0, this.terms.burst * this.part - this.tokens));
  }

  private fill(now: number): void {
    const gained = ((now - this.filledAt) / 1000) * this.terms.perSecond * this.part;
    // At least 1, because no query can start with less than one token.
    const most = Math.max(1, this.terms.burst * this.part);
    this.tokens = Math.min(Math.max(most, this.tokens), this.tokens + gained);
    this.filledAt = now;
  }
}
