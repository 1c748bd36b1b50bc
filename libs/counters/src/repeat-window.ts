import type { CounterId } from './counter-id.js';

/** How long a charged answer makes the same request free, in milliseconds. */
export const REPEAT_WINDOW_MS = 60_000;

/** Remembers which questions an account was charged for within the last 60 seconds. */
export abstract class RepeatWindow {
  /** True when `remember` was called for the same question less than 60 seconds ago. */
  abstract isRepeat(id: CounterId, question: string): boolean | Promise<boolean>;

  /** Notes a charged answer. Asking again does not extend its 60 seconds. */
  abstract remember(id: CounterId, question: string): unknown;
}
