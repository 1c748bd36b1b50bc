import { MINUTE_MS, monotonicMs } from '#libs/platform';

/** The number of chunks of an account that are looked up at the same time at an upstream without a turn for them. */
const AT_ONCE = 2;
/** After this time without a refusal, an upstream is no longer busy. */
const REMEMBERED_MS = MINUTE_MS;
const UPSTREAMS_MAX = 10_000;

interface Calls {
  running: number;
  /** The monotonic time of the last refusal. */
  refusedMs: number;
}

/**
 * Limits how many chunks ask the same busy upstream. A call takes the turns of the next 20 seconds, however few are
 * left. If all places of the worker shared them, each chunk would get a name or two, and a large job would end with as
 * many result files, settlements and remaining chunks as it has names.
 */
export class BusyUpstreams {
  /** By account and upstream, the most recently used last. */
  private readonly calls = new Map<string, Calls>();

  /**
   * Begins a call. @returns the function that ends it, with whether the upstream had no turn for some names; undefined
   * if enough chunks of the account ask this upstream already.
   */
  begin(
    accountId: string,
    upstream: string,
    nowMs = monotonicMs(),
  ): ((isRefused: boolean, endMs?: number) => void) | undefined {
    const key = `${accountId} ${upstream}`;
    const calls = this.calls.get(key) ?? { running: 0, refusedMs: -Infinity };
    if (calls.running >= AT_ONCE && nowMs - calls.refusedMs < REMEMBERED_MS) return undefined;
    calls.running += 1;
    this.calls.delete(key);
    this.calls.set(key, calls);
    if (this.calls.size > UPSTREAMS_MAX) this.calls.delete(this.calls.keys().next().value!);
    return (isRefused, endMs = monotonicMs()) => {
      calls.running -= 1;
      if (isRefused) calls.refusedMs = endMs;
      else if (calls.running === 0) this.calls.delete(key);
    };
  }
}
