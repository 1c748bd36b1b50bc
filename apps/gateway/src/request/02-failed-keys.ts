import { MINUTE_MS, SECOND_MS } from '#libs/platform';
import { addressGroup } from '../exchange/client-address.js';

const ADDRESSES_MAX = 20_000;

/**
 * Step 2: an address that sent many keys that are not valid may not have further unknown keys looked
 * up for the rest of its minute (S17). Keys whose facts are at hand are served all the same, so one
 * broken client does not silence its neighbours behind the same address.
 */
export class FailedKeys {
  private readonly counts = new Map<string, { count: number; endsMs: number }>();

  /** @param limit failures of one address in a minute. */
  constructor(private readonly limit: number) {}

  note(address: string, nowMs: number): void {
    const group = addressGroup(address);
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
    this.counts.set(group, { count: 1, endsMs: nowMs + MINUTE_MS });
  }

  /** Seconds for which this address has to wait; 0 when it may ask. */
  waitSeconds(address: string, nowMs: number): number {
    if (this.counts.size === 0) return 0;
    const entry = this.counts.get(addressGroup(address));
    if (entry === undefined || entry.endsMs <= nowMs || entry.count < this.limit) return 0;
    return Math.ceil((entry.endsMs - nowMs) / SECOND_MS);
  }
}
