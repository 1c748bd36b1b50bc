import type { CounterId } from './counter-id.js';

/** The number of one-second buckets in a window. */
export const WINDOW_SECONDS = 61;

export interface RateLimitResult {
  allowed: boolean;
  /** Requests left in the window after this one. */
  remaining: number;
  /** The whole seconds until the oldest counted requests leave the window, 1 … 61. */
  resetSeconds: number;
}

/**
 * Counts requests per account and rate key over a sliding minute. A rate key is a rate class, separate for test keys.
 * The window is 61 buckets of one second, of which the oldest counts in full, so that no 60 seconds, wherever they
 * begin, contain more than the limit.
 */
export abstract class RateLimiter {
  /** Counts one request if the limit per minute allows it; a refused request is not counted. */
  abstract take(
    id: CounterId,
    rateKey: number,
    limit: number,
  ): RateLimitResult | Promise<RateLimitResult>;

  /**
   * Removes one request from the count: it is subtracted from the oldest bucket, whichever bucket counted it. The
   * window then has room for another request at once, and its count is never too low.
   */
  abstract giveBack(id: CounterId, rateKey: number): void;
}
