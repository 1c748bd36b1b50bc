import { MINUTE_MS, SECOND_MS, monotonicMs } from '#libs/platform';

/** The maximum number of an asker's chunks that are looked up at the same time at a busy upstream. */
const AT_ONCE = 2;
/**
 * The interval at which waiting chunks try again. One of two calls of 20 seconds ends every 10 seconds on average, so a
 * free place is soon taken.
 */
const RETURN_EVERY_MS = 5 * SECOND_MS;
/** The longest wait for a place. Each new attempt costs queries, and a large job has thousands of chunks. */
const WAIT_MAX_MS = 5 * MINUTE_MS;
/** After this time without a refusal, an upstream is no longer busy. */
const REMEMBERED_MS = MINUTE_MS;
const UPSTREAMS_MAX = 10_000;

interface Calls {
  running: number;
  /** The monotonic time of the last refusal. */
  refusedMs: number;
  /** The monotonic time at which the last of the waiting chunks tries again. */
  lastMs: number;
}

/**
 * Limits how many chunks ask the same busy upstream. A call takes the upstream's turns of the next 20 seconds, however
 * few are left. If all places of the worker shared these turns, each chunk would get a name or two, and a large job
 * would end with as many result files, settlements and remaining chunks as it has names.
 */
export class BusyUpstreams {
  /** By asker and upstream, the most recently used last. */
  private readonly calls = new Map<string, Calls>();

  /**
   * Begins a call. @returns a function that ends the call and is told whether the upstream had no turn for some names;
   * or, if enough chunks of the asker already ask this upstream, the seconds after which this chunk should try again.
   */
  begin(
    asker: string,
    upstream: string,
    nowMs = monotonicMs(),
  ): ((isRefused: boolean, endMs?: number) => void) | number {
    const key = `${asker} ${upstream}`;
    const calls = this.calls.get(key) ?? { running: 0, refusedMs: -Infinity, lastMs: -Infinity };
    if (calls.running >= AT_ONCE && nowMs - calls.refusedMs < REMEMBERED_MS) {
      const nextMs = Math.max(calls.lastMs, nowMs) + RETURN_EVERY_MS;
      calls.lastMs = Math.min(nextMs, nowMs + WAIT_MAX_MS);
      return Math.ceil((calls.lastMs - nowMs) / SECOND_MS);
    }
    calls.running += 1;
    this.calls.delete(key);
    this.calls.set(key, calls);
    if (this.calls.size > UPSTREAMS_MAX) this.calls.delete(this.calls.keys().next().value!);
    return (isRefused, endMs = monotonicMs()) => {
      calls.running -= 1;
      if (isRefused) calls.refusedMs = endMs;
      const isBusy = endMs - calls.refusedMs < REMEMBERED_MS;
      if (calls.running === 0 && !isBusy) this.calls.delete(key);
    };
  }
}
