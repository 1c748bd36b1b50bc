import { DailyCredits } from '#libs/counters';
import { type Clock, DAY_MS, type Problem } from '#libs/platform';
import { ServiceOverloaded } from '#libs/public-http';
import { KeyCapReached } from './lease.errors.js';

/** The maximum number of counts in memory; all keys in a chain of rotations share one count. */
const LINES_MAX = 200_000;

/** The part of a key record that its cap needs. `dailyCreditCap` 0 means no cap. */
export interface CappedKey {
  /** The id of the chain of rotations, whose keys share a count. */
  capId: string;
  dailyCreditCap: number;
}

export interface CappedLine extends CappedKey {
  /** The keys in the chain of rotations that may have been used today. */
  keyIds: string[];
}

/**
 * The credits that capped keys have spent in this UTC day. A count starts with the day's total from the request log.
 * Every second, the counts of keys in use are raised to the log's total, so that several gateways keep to one cap:
 * together, they exceed it by at most what they charge the key within about a second and a half (one second, plus the
 * time until the log is written). A single gateway keeps to it exactly.
 *
 * A count above zero is kept until its day is over. Memory is bounded: when the table is full, no further key is added.
 * Such a key is rejected with 503, so it never spends uncounted credits.
 */
export class DailyCaps {
  /** The keys that were used since the last read of the log. */
  private inUse = new Set<string>();
  private readonly keysOf = new Map<string, readonly string[]>();

  /**
   * @param loggedToday reads from the request log the credits that each of the given keys was charged in this UTC day.
   */
  constructor(
    private readonly clock: Clock,
    private readonly loggedToday: (keyIds: readonly string[]) => Promise<Map<string, number>>,
    private readonly spent = new DailyCredits(),
  ) {}

  /**
   * Prepares the count of a capped key; call it after the key's record was loaded.
   * @throws ServiceOverloaded if the table is full.
   */
  async prepare({ capId, keyIds, dailyCreditCap }: CappedLine): Promise<void> {
    if (dailyCreditCap === 0) return;
    const day = this.today();
    if (this.keysOf.size >= LINES_MAX) this.keysOf.clear();
    this.keysOf.set(capId, keyIds);
    if (this.spent.has(capId, day)) return;
    const credits = sumOf(keyIds, await this.loggedToday(keyIds));
    // Spending before midnight does not count towards the next day.
    if (this.today() === day && !this.spent.begin(capId, day, credits))
      throw new ServiceOverloaded();
  }

  /**
   * Counts `cost`, until `release` takes back the part that was not charged.
   * @returns the UTC day to which it counts, for `release` (0 without a cap), or why it is rejected.
   */
  reserve({ capId, dailyCreditCap: cap }: CappedKey, cost: number): number | Problem {
    if (cap === 0) return 0;
    const day = this.today();
    const addition = this.spent.add(capId, day, { cost, cap });
    this.inUse.add(capId);
    if (addition === 'added') return day;
    return addition === 'full' ? new ServiceOverloaded() : new KeyCapReached(cap);
  }

  /** Returns credits to the day in which they were reserved, never to the next day. */
  release({ capId, dailyCreditCap }: CappedKey, credits: number, day: number): void {
    if (dailyCreditCap > 0 && credits > 0) {
      this.spent.takeOff(capId, day, credits);
    }
  }

  /** Adds what other gateways charged; must be called every second. */
  async followOthers(): Promise<void> {
    const { inUse } = this;
    if (inUse.size === 0) return;
    this.inUse = new Set();
    const day = this.today();
    const lines = [...inUse].map((capId) => ({ capId, keyIds: this.keysOf.get(capId) ?? [capId] }));
    const logged = await this.loggedToday(lines.flatMap(({ keyIds }) => keyIds));
    // Charges of a day that is over do not count towards the next day.
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
