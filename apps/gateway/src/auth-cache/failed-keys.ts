import { MINUTE_MS, SECOND_MS, SITE_FACTOR, networkOf, siteOf } from '#libs/platform';

const ADDRESSES_MAX = 20_000;
/**
 * Maximum number of keys from one address whose lookups are running or have failed, unless the limit on failures is
 * higher. Many valid clients may share the address.
 */
const UNDER_WAY_MAX = 100;

interface Failures {
  count: number;
  endsMs: number;
}

/**
 * Limits the lookups of unknown keys per address. After many invalid keys, no further unknown key is looked up until
 * the minute ends (S17). Cached keys are still served, so one misconfigured client does not block other clients at the
 * same address.
 */
export class FailedKeys {
  private readonly counts = new Map<string, Failures>();
  /** The number of running key lookups of each address group; any of them may still fail. */
  private readonly underWay = new Map<string, number>();

  /** @param limit the maximum number of failures per minute from one address. */
  constructor(private readonly limit: number) {}

  note(address: string, nowMs: number): void {
    this.count(networkOf(address), nowMs);
    if (address.includes(':')) this.count(siteOf(address), nowMs);
  }

  /** Records that an unknown key from this address is being looked up. Call `end` once afterwards. */
  begin(address: string): void {
    const group = networkOf(address);
    this.underWay.set(group, (this.underWay.get(group) ?? 0) + 1);
  }

  end(address: string): void {
    const group = networkOf(address);
    const left = (this.underWay.get(group) ?? 0) - 1;
    if (left > 0) this.underWay.set(group, left);
    else this.underWay.delete(group);
  }

  /** Returns how many seconds this address must wait; 0 if it may continue. */
  waitSeconds(address: string, nowMs: number): number {
    if (this.counts.size === 0 && this.underWay.size === 0) return 0;
    const group = networkOf(address);
    const underWay = this.underWay.get(group) ?? 0;
    const own = this.waitOf(group, { limit: this.limit, nowMs, underWay });
    if (own > 0 || !address.includes(':')) return own;
    const limit = this.limit * SITE_FACTOR;
    return this.waitOf(siteOf(address), { limit, nowMs, underWay: 0 });
  }

  private waitOf(
    group: string,
    { limit, nowMs, underWay }: { limit: number; nowMs: number; underWay: number },
  ): number {
    const { count, endsMs } = this.counts.get(group) ?? { count: 0, endsMs: nowMs };
    const failed = endsMs > nowMs ? count : 0;
    if (failed >= limit) return Math.ceil((endsMs - nowMs) / SECOND_MS);
    // The running lookups end soon, and most of them may succeed.
    return failed + underWay < Math.max(limit, UNDER_WAY_MAX) ? 0 : 1;
  }

  private count(group: string, nowMs: number): void {
    const entry = this.counts.get(group);
    if (entry && entry.endsMs > nowMs) {
      entry.count++;
      return;
    }
    this.counts.delete(group);
    if (this.counts.size >= ADDRESSES_MAX) {
      const [oldest] = this.counts.keys();
      this.counts.delete(oldest);
    }
    // A slice of a header would keep the whole request in memory.
    const ownCopy = Buffer.from(group, 'latin1').toString('latin1');
    this.counts.set(ownCopy, { count: 1, endsMs: nowMs + MINUTE_MS });
  }
}
