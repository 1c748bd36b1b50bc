import type { CounterId } from './counter-id.js';

/** Cells of one second that make a window. */
export const WINDOW_SECONDS = 61;

/** Whether one more request fits, and what is left. */
export interface WindowAnswer {
  allowed: boolean;
  /** Requests left in the window, this one counted. */
  remaining: number;
  /** Whole seconds until the window has room for at least one more, 1 … 61. */
  resetSeconds: number;
}

/**
 * Counts requests per account and quota over a sliding minute. A quota is a rate class, test keys
 * apart. The window is 61 cells of one second, the oldest counted whole, so that no 60 seconds,
 * wherever they begin, hold more than the limit.
 */
export abstract class RequestWindow {
  /** Counts one request if it fits under `limit` a minute; a refused one is not counted. */
  abstract take(id: CounterId, quota: number, limit: number): WindowAnswer | Promise<WindowAnswer>;

  /**
   * Takes one counted request back. It comes off the oldest cell, whichever it was counted in: the window has
   * room for one more at once, and never holds less than the requests that count.
   */
  abstract giveBack(id: CounterId, quota: number): void;
}
