import { monotonicMs } from './clock.js';

export interface CallPaceLimits {
  /** The number of calls that an account can make at once after a pause. */
  burst: number;
  /** The interval between later calls. */
  everyMs: number;
}

/** At this number of accounts in memory, those whose full burst is available again are removed. */
const ACCOUNTS_MAX = 10_000;

/** Limits how often each account may call (a token bucket), in one process. */
export class CallPace {
  /** When each account's full burst is available again. */
  private readonly fullAtMs = new Map<string, number>();

  constructor(private readonly limits: CallPaceLimits) {}

  /** Counts a call. @returns 0, or the milliseconds to wait if the call is not allowed; such a call is not counted. */
  take(accountId: string, nowMs = monotonicMs()): number {
    const { burst, everyMs } = this.limits;
    const fullAtMs = Math.max(this.fullAtMs.get(accountId) ?? 0, nowMs);
    const waitMs = fullAtMs - nowMs - (burst - 1) * everyMs;
    if (waitMs > 0) return waitMs;
    if (this.fullAtMs.size >= ACCOUNTS_MAX) this.forgetPaused(nowMs);
    this.fullAtMs.set(accountId, fullAtMs + everyMs);
    return 0;
  }

  private forgetPaused(nowMs: number): void {
    for (const [accountId, fullAtMs] of this.fullAtMs) {
      if (fullAtMs <= nowMs) this.fullAtMs.delete(accountId);
    }
  }
}
