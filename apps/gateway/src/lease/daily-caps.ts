import { DailyCredits } from '#libs/counters';
import { type Clock, DAY_MS, type Problem } from '#libs/platform';
import { ServiceOverloaded } from '#libs/public-http';
import { KeyCapReached } from './lease.errors.js';

/** Maximum number of chains whose key ids are in memory. At this number, all are removed. */
const LINES_MAX = 200_000;

/** The fields of a key record that its cap needs. `dailyCreditCap` is 0 for no cap. */
export interface CappedKey {
  /** The id of the first key in the chain of rotations. All keys in the chain share a count. */
  capId: string;
  dailyCreditCap: number;
}

export interface CappedLine extends CappedKey {
  /** The keys in the chain that may have been used today. */
  keyIds: string[];
}

/**
 * Counts the credits spent on this UTC day by keys with a cap. A count starts with the day's total from the request
 * log. Every second, the counts of the keys in use are raised to the log's total, so that several gateways enforce one
 * cap. Together, they can exceed it only by what they charge within about 1.5 seconds: the interval of one second, and
 * the delay until the log is written. A single gateway never exceeds it.
 *
 * A count above zero is kept until its day is over. Memory is bounded: when the table is full, a further key is
 * rejected with 503, so no key spends uncounted credits.
 */
export class DailyCaps {
  /** The keys used since the last read of the log. */
  private inUse = new Set<string>();
  private readonly keysOf = new Map<string, readonly string[]>();

  /** @param loggedToday reads from the request log how many credits each key was charged on this UTC day. */
  constructor(
    private readonly clock: Clock,
    private readonly loggedToday: (keyIds: readonly string[]) => Promise<Map<string, number>>,
    private readonly spent = new DailyCredits(),
  ) {}

  /**
   * Prepares the count of a key with a cap. Call this after loading the key's record.
   * @throws ServiceOverloaded if the table is full; also if the log cannot be read.
   */
  async prepare({ capId, keyIds, dailyCreditCap }: CappedLine): Promise<void> {
    if (dailyCreditCap === 0) return;
    const day = this.today();
    if (this.keysOf.size >= LINES_MAX) this.keysOf.clear();
    this.keysOf.set(capId, keyIds);
    if (this.spent.has(capId, day)) return;
    const credits = sumOf(keyIds, await this.loggedToday(keyIds));
    // Credits spent before midnight do not count towards the next day.
    if (this.today() === day && !this.spent.begin(capId, day, credits))
      throw new ServiceOverloaded();
  }

  /**
   * Counts `cost`; `release` later returns the part that was not charged.
   * @returns the UTC day that the cost counts towards, for `release` (0 without a cap), or the rejection.
   */
  reserve({ capId, dailyCreditCap: cap }: CappedKey, cost: number): number | Problem {
    if (cap === 0) return 0;
    const day = this.today();
    const addition = this.spent.add(capId, day, { cost, cap });
    this.inUse.add(capId);
    if (addition === 'added') return day;
    return addition === 'full' ? new ServiceOverloaded() : new KeyCapReached(cap);
  }

  /** Gives credits back to the day on which they were reserved. If that day is over, they are dropped. */
  release({ capId, dailyCreditCap }: CappedKey, credits: number, day: number): void {
    if (dailyCreditCap > 0 && credits > 0) {
      this.spent.takeOff(capId, day, credits);
    }
  }

  /**
   * Raises the counts in use to the totals in the log, which include other gateways' charges. Call this every second.
   */
  async followOthers(): Promise<void> {
    const { inUse } = this;
    if (inUse.size === 0) return;
    this.inUse = new Set();
    const day = this.today();
    const lines = [...inUse].map((capId) => ({ capId, keyIds: this.keysOf.get(capId) ?? [capId] }));
    const logged = await this.loggedToday(lines.flatMap(({ keyIds }) => keyIds));
    // The log's totals for an earlier day do not count towards the new day.
    if (this.today() !== day) return;
    for (const { capId, keyIds } of lines) this.spent.raise(capId, day, sumOf(keyIds, logged));
  }

  private today(): number {
    return Math.floor(this.clock.now().getTime() / DAY_MS);
  }
}

function sumOf(keyIds: readonly string[], credits: ReadonlyMap<string, number>): number {
  return keyIds.reduce((sum, keyId) => sum + (credits.get(keyId) ?? 0), 0);
}
