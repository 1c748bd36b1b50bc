/** The time that holders have, after a start or a gap, to reach the service before their leases are closed. */
const PATIENCE_MS = 120_000;
/**
 * The maximum gap between two rounds. After a longer one, holders may have been unable to reach the
 * service.
 */
const GAP_MAX_MS = 10_000;
/** A round that lasts longer was paused, which is a gap too; a shorter one may just have much to close. */
const ROUND_MAX_MS = 45_000;

/** Decides in which rounds the reaper may close anything. Times are monotonic milliseconds. */
export class ReaperRounds {
  private startedMs: number | undefined;
  private endedMs = 0;
  private waitsUntilMs = 0;

  /** Decides about the next round. A waiting time starts with `begins to wait`, so that it can be recorded once. */
  next(nowMs: number): 'begins to wait' | 'waits' | 'may reap' {
    const { startedMs, endedMs } = this;
    const isGap =
      startedMs === undefined || nowMs - endedMs > GAP_MAX_MS || endedMs - startedMs > ROUND_MAX_MS;
    this.startedMs = this.endedMs = nowMs;
    if (isGap) {
      this.waitsUntilMs = nowMs + PATIENCE_MS;
      return 'begins to wait';
    }
    return nowMs < this.waitsUntilMs ? 'waits' : 'may reap';
  }

  /** Counts the current round as a gap. */
  interrupt(): void {
    this.startedMs = undefined;
  }

  /** Ends a round. */
  end(nowMs: number): void {
    this.endedMs = nowMs;
  }
}
