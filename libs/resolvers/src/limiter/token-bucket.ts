import type { BucketTerms } from './upstream-limits.js';

/** Tokens that fill up with time. Starts full. Times are monotonic milliseconds. */
export class TokenBucket {
  private tokens: number;

  constructor(
    private readonly terms: BucketTerms,
    private filledAt: number,
  ) {
    this.tokens = terms.burst;
  }

  /** Milliseconds until there is a token; 0 when there is one. */
  waitMs(now: number): number {
    this.fill(now);
    // A token short of one by a rounding error counts, or the wait would shrink towards 0 for ever.
    if (this.tokens >= 1 - 1e-9) return 0;
    return Math.ceil(((1 - this.tokens) / this.terms.perSecond) * 1000);
  }

  /** Tokens that are there now. */
  left(now: number): number {
    this.fill(now);
    return this.tokens;
  }

  take(now: number): void {
    this.fill(now);
    this.tokens -= 1;
  }

  private fill(now: number): void {
    const gained = ((now - this.filledAt) / 1000) * this.terms.perSecond;
    this.tokens = Math.min(this.terms.burst, this.tokens + gained);
    this.filledAt = now;
  }
}
