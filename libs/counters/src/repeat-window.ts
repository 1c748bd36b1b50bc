import type { CounterId } from './counter-id.js';

/** How long a charged answer makes the same request free, in milliseconds. */
export const REPEAT_WINDOW_MS = 60_000;

/** Remembers the requests that an account was charged for within the last 60 seconds. Some may be forgotten earlier. */
export abstract class RepeatWindow {
  /** True if the same request was remembered less than 60 seconds ago. */
  abstract isRepeat(id: CounterId, question: string): boolean | Promise<boolean>;

  /** Remembers a charged request. A repetition does not extend the 60 seconds. */
  abstract remember(id: CounterId, question: string): unknown;
}
