/** After a start or a pause, holders get this much time to reach the service before their leases are closed. */
const PATIENCE_MS = 120_000;
/** After a longer gap than this between two rounds, holders probably could not reach the service either. */
const GAP_MAX_MS = 10_000;

/** Decides in which of its rounds a reaper may act. Times are monotonic milliseconds. */
export class ReaperRounds {
  private lastRoundMs: number | undefined;
  private waitsUntilMs = 0;

  /** Decides about the next round. `waits` begins in the round `begins to wait`, so that it can be recorded once. */
  next(nowMs: number): 'begins to wait' | 'waits' | 'may reap' {
    const isGap = this.lastRoundMs === undefined || nowMs - this.lastRoundMs > GAP_MAX_MS;
    this.lastRoundMs = nowMs;
    if (isGap) {
      this.waitsUntilMs = nowMs + PATIENCE_MS;
      return 'begins to wait';
    }
    return nowMs < this.waitsUntilMs ? 'waits' : 'may reap';
  }
}
