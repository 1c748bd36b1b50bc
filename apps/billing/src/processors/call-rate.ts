import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS, monotonicMs } from '#libs/platform';

/**
 * Maximum wait of a call. Calls that would wait longer are rejected: a customer would have left,
 * and a job runs again anyway.
 */
const WAIT_MAX_MS = 10 * SECOND_MS;
/** The burst after a pause: as many calls as the rate allows in this many seconds. */
const BURST_SECONDS = 0.25;

/** An error for a call that was not made, because too many calls were already waiting. */
export class CallsExhausted extends Error {}

/**
 * Limits how often this process calls one processor: a number of calls per second, and a burst after a pause. The limit
 * is a token bucket, stored as the time when the bucket will be full (the generic cell rate algorithm, ITU-T I.371).
 * Several processes share a rate by dividing it among them.
 */
export class CallRate {
  private readonly everyMs: number;
  private readonly burstMs: number;
  private fullAtMs = -Infinity;

  constructor(perSecond: number) {
    this.everyMs = SECOND_MS / perSecond;
    this.burstMs = Math.max(0, BURST_SECONDS * SECOND_MS - this.everyMs);
  }

  /** Resolves when the next call may be sent, first come, first served. @throws CallsExhausted. */
  async turn(): Promise<void> {
    const waitMs = this.take(monotonicMs());
    if (waitMs > 0) await sleep(waitMs);
  }

  /**
   * Reserves the next call. @returns the milliseconds until it may be sent.
   * @throws CallsExhausted if that is too long.
   */
  take(nowMs: number): number {
    const fullAtMs = Math.max(this.fullAtMs, nowMs);
    const waitMs = Math.max(0, fullAtMs - this.burstMs - nowMs);
    if (waitMs > WAIT_MAX_MS) throw new CallsExhausted('too many calls wait for the processor');
    this.fullAtMs = fullAtMs + this.everyMs;
    return waitMs;
  }
}
