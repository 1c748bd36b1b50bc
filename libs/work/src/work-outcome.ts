/** The error of a handler whose work cannot succeed even if repeated, so that an operator has to decide. */
export class WorkIsHopeless extends Error {}

/**
 * The error for a handler that no longer has the work, because the lease ended or the work was removed. The work must
 * then have no effect.
 */
export class WorkLost extends Error {}

/** The signal's reason for work that was cancelled while it was running. The results so far may be kept. */
export class WorkCancelled extends Error {}

/**
 * The signal's reason when the process ends. The handler should end soon; if it throws, its work is due again at once.
 */
export class WorkStopped extends Error {}

/** The reason of the signal, and of the failed attempt, when an attempt exceeds its time limit. */
export class WorkTimedOut extends Error {}

/**
 * A handler's result for work that cannot be done yet: the work is postponed, which does not count as a failed attempt.
 */
export class Later {
  constructor(readonly seconds: number) {}
}

/** The longest postponement. For a longer wait, store a row with a time, and check it in a job. */
export const LATER_MAX_SECONDS = 7 * 86_400;

/** Postpones work. @throws RangeError for a negative number, or for more than seven days. */
export function later(seconds: number): Later {
  if (!(seconds >= 0 && seconds <= LATER_MAX_SECONDS)) {
    throw new RangeError(`later(${seconds}): 0 to ${LATER_MAX_SECONDS} s`);
  }
  return new Later(seconds);
}
