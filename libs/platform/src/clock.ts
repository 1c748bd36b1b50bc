/**
 * The business time: periods, expiry, grace, sessions. It is injected everywhere, so that tests can move it. Technical
 * time (leases, outbox, timeouts) uses the database's clock or `monotonicMs` instead.
 */
export abstract class Clock {
  abstract now(): Date;
}

export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }
}

/** Returns the milliseconds of a clock that never decreases, unaffected by steps of the wall clock; for durations. */
export function monotonicMs(): number {
  return performance.now();
}

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/**
 * Returns the Unix milliseconds of this machine, whatever business time is set to; used for ids, because the database
 * partitions rows by the time in their ids.
 */
export function machineMs(): number {
  return Date.now();
}
