import type { CounterId } from './counter-id.js';

/** Whether one more request fits, and what is left. */
export interface WindowAnswer {
  allowed: boolean;
  /** Requests left in the window, this one counted. */
  remaining: number;
  /** Whole seconds until the window has room for at least one more, 1 … 61. */
  resetSeconds: number;
}

/**
 * Counts requests per account and cell over a sliding minute. A cell is a rate class; test keys have
 * cells of their own. The window is 61 one-second cells, the oldest counted whole, so that no 60
 * seconds, wherever they begin, hold more than the limit.
 */
export abstract class RequestWindow {
  /** Counts one request if it fits under `limit` a minute; a refused one is not counted. */
  abstract take(id: CounterId, cell: number, limit: number): WindowAnswer | Promise<WindowAnswer>;
}
