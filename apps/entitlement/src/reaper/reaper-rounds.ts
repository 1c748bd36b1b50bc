/** The time that holders have, after a start or a gap, to reach the service before their leases are closed. */
const PATIENCE_MS = 120_000;
/**
 * The maximum gap between two rounds. After a longer one, holders may have been unable to reach the
 * service.
 */
const GAP_MAX_MS = 10_000;

/** Decides in which rounds the reaper may close anything. Times are monotonic milliseconds. */
export class ReaperRounds {
  private lastRoundMs: number | undefined;
  private waitsUntilMs = 0;

  /** Decides about the next round. A waiting time starts with `begins to wait`, so that it can be recorded once. */
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
