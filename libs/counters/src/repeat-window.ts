import type { CounterId } from './counter-id.js';

/** The time for which a charged answer makes the same request free, in milliseconds. */
export const REPEAT_WINDOW_MS = 60_000;

/** Remembers the questions for which an account was charged within the last 60 seconds. */
export abstract class RepeatWindow {
  /** True when `remember` was called for the same question less than 60 seconds ago. */
  abstract isRepeat(id: CounterId, question: string): boolean | Promise<boolean>;

  /** Remembers a charged answer. Asking again does not extend its 60 seconds. */
  abstract remember(id: CounterId, question: string): unknown;
}
