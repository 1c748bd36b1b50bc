import type { CounterId } from './counter-id.js';

/** The time for which a charged answer makes the same request free, in milliseconds. */
export const REPEAT_WINDOW_MS = 60_000;

/** Remembers the requests for which an account was charged within the last 60 seconds. */
export abstract class RepeatWindow {
  /** True if `remember` was called for the same request less than 60 seconds ago. */
  abstract isRepeat(id: CounterId, question: string): boolean | Promise<boolean>;

  /** Remembers a charged request. A repetition does not extend the 60 seconds. */
  abstract remember(id: CounterId, question: string): unknown;
}
