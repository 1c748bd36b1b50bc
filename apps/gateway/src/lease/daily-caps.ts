import { DailyCredits } from '#libs/counters';
import { type Clock, DAY_MS, type Problem } from '#libs/platform';
import { ServiceOverloaded } from '#libs/public-http';
import { KeyCapReached } from './lease.errors.js';

/** Lines whose keys are remembered. */
const LINES_MAX = 200_000;

/** The part of a key record that its cap needs. `dailyCreditCap` 0 means no cap. */
export interface CappedKey {
  /** The same for a key and its rotations: a rotation begins no new count. */
  capId: string;
  dailyCreditCap: number;
}

export interface CappedLine extends CappedKey {
  /** The keys of the line that may have been used today. */
  keyIds: string[];
}

/**
 * Credits that capped keys have spent in this UTC day. A count begins with what the request log has of the day,
 * and each second those in use are raised to what it has by then, so that several gateways keep to one cap: all
 * together let through at most what they charge the key within about a second and a half beyond it (the second,
 * and what the log takes to be written). One gateway alone keeps to it exactly.
 *
 * The rule: a count that is not zero is kept until its day is over. Memory is bounded by taking no
 * further key when it is full; such a key is refused with 503, it never spends uncounted.
 */
export class DailyCaps {
  /** Lines that were used since the last look into the log. */
  private inUse = new Set<string>();
  private readonly keysOf = new Map<string, readonly string[]>();

  /** @param loggedToday credits some keys were charged in this UTC day, each, from the request log. */
  constructor(
    private readonly clock: Clock,
    private readonly loggedToday: (keyIds: readonly string[]) => Promise<Map<string, number>>,
    private readonly spent = new DailyCredits(),
  ) {}

  /**
   * Makes a capped key's count ready; call when its record has been loaded.
   * @throws ServiceOverloaded when the table is full.
   */
  async prepare({ capId, keyIds, dailyCreditCap }: CappedLine): Promise<void> {
    if (dailyCreditCap === 0) return;
    const day = this.today();
    if (this.keysOf.size >= LINES_MAX) this.keysOf.clear();
    this.keysOf.set(capId, keyIds);
    if (this.spent.has(capId, day)) return;
    const credits = sumOf(keyIds, await this.loggedToday(keyIds));
    // Spending before midnight does not count for the day after it.
    if (this.today() === day && !this.spent.begin(capId, day, credits))
      throw new ServiceOverloaded();
  }

  /**
   * Counts `cost`, until `release` takes back what was not charged.
   * @returns the UTC day it counts for, by which it is released (0 without a cap), or why it may not.
   */
  reserve({ capId, dailyCreditCap: cap }: CappedKey, cost: number): number | Problem {
    if (cap === 0) return 0;
    const day = this.today();
    const addition = this.spent.add(capId, day, { cost, cap });
    this.inUse.add(capId);
    if (addition === 'added') return day;
    return addition === 'full' ? new ServiceOverloaded() : new KeyCapReached(cap);
  }

  /** Gives credits back to the day they were reserved on, never to the next one. */
  release({ capId, dailyCreditCap }: CappedKey, credits: number, day: number): void {
    if (dailyCreditCap > 0 && credits > 0) {
      this.spent.takeOff(capId, day, credits);
    }
  }

  /** Takes in what other gateways let through; to be called each second. */
  async followOthers(): Promise<void> {
    const { inUse } = this;
    if (inUse.size === 0) return;
    this.inUse = new Set();
    const day = this.today();
    const lines = [...inUse].map((capId) => ({ capId, keyIds: this.keysOf.get(capId) ?? [capId] }));
    const logged = await this.loggedToday(lines.flatMap(({ keyIds }) => keyIds));
    // What was logged of a day that is over by now is nothing to the next one.
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
