import type { BucketTerms } from './upstream-limits.js';

/** Tokens that fill up with time. Starts full. Times are monotonic milliseconds. */
export class TokenBucket {
  private tokens: number;
  /** The part of the terms that is this process's own; 1 where it need not share, or shares by a server. */
  private part = 1;

  constructor(
    readonly terms: BucketTerms,
    private filledAt: number,
  ) {
    this.tokens = terms.burst;
  }

  /** Milliseconds until there is a token; 0 when there is one. */
  waitMs(now: number): number {
    this.fill(now);
    // A token short of one by a rounding error counts, or the wait would shrink towards 0 for ever.
    if (this.tokens >= 1 - 1e-9) return 0;
    return Math.ceil(((1 - this.tokens) / (this.terms.perSecond * this.part)) * 1000);
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

  /** Goes by what a server said is left for all. */
  adopt(left: number, now: number): void {
    this.part = 1;
    this.tokens = left;
    this.filledAt = now;
  }

  /** Goes by one part in `processes` of what was left for all, and of what comes. */
  divide(processes: number, now: number): void {
    this.fill(now);
    const part = 1 / processes;
    if (part < this.part) this.tokens *= part / this.part;
    this.part = part;
  }

  /** Separately spent tokens that have not been refilled yet. */
  owed(spent: number, now: number): number {
    this.fill(now);
    return Math.min(spent, Math.max(0, this.terms.burst * this.part - this.tokens));
  }

  private fill(now: number): void {
    const gained = ((now - this.filledAt) / 1000) * this.terms.perSecond * this.part;
    // A part of a burst below one question would never be enough for any.
    const most = Math.max(1, this.terms.burst * this.part);
    this.tokens = Math.min(Math.max(most, this.tokens), this.tokens + gained);
    this.filledAt = now;
  }
}
