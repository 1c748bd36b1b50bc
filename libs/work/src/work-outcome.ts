/** Thrown by a handler if a repetition cannot help, so that an operator has to decide. */
export class WorkIsHopeless extends Error {}

/**
 * Thrown to a handler that no longer has the work, because its lease ended or the work was removed. The work must have
 * no effect.
 */
export class WorkLost extends Error {}

/** The reason of the signal for work that was cancelled while it was running. Results so far may be kept. */
export class WorkCancelled extends Error {}

/** The reason of the signal when the process ends: return the work with `later(0)`, or finish it soon. */
export class WorkStopped extends Error {}

/** The reason of the abort signal, and of the failed attempt, when an attempt exceeds its time limit. */
export class WorkTimedOut extends Error {}

/**
 * The answer of a handler if it is too early for the work: it is postponed, which does not count as a failed attempt.
 */
export class Later {
  constructor(readonly seconds: number) {}
}

/** For longer waits, use a row with a time and a job that checks it. */
export const LATER_MAX_SECONDS = 7 * 86_400;

/** @throws RangeError for less than none, and for more than seven days. */
export function later(seconds: number): Later {
  if (!(seconds >= 0 && seconds <= LATER_MAX_SECONDS)) {
    throw new RangeError(`later(${seconds}): 0 to ${LATER_MAX_SECONDS} s`);
  }
  return new Later(seconds);
}
