import type { CounterId } from './counter-id.js';

/** Buckets of one second that make a window. */
export const WINDOW_SECONDS = 61;

/** Whether one more request fits, and how many remain. */
export interface RateLimitResult {
  allowed: boolean;
  /** Requests left in the window after this one. */
  remaining: number;
  /** Whole seconds until the window has room for at least one more, 1 … 61. */
  resetSeconds: number;
}

/**
 * Counts requests per account and rate key over a sliding minute. A rate key is a rate class, test keys
 * apart. The window is 61 buckets of one second, the oldest counted whole, so that no 60 seconds,
 * wherever they begin, hold more than the limit.
 */
export abstract class RateLimiter {
  /** Counts one request if the limit per minute allows it; a refused request is not counted. */
  abstract take(
    id: CounterId,
    rateKey: number,
    limit: number,
  ): RateLimitResult | Promise<RateLimitResult>;

  /**
   * Takes one counted request back. It comes off the oldest bucket, whichever it was counted in: the window has
   * room for one more at once, and never holds less than the requests that count.
   */
  abstract giveBack(id: CounterId, rateKey: number): void;
}
