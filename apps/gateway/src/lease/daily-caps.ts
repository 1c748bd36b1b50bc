import { DailyCredits } from '#libs/counters';
import { type Clock, DAY_MS, type Problem } from '#libs/platform';
import { ServiceOverloaded } from '../problems/problems.errors.js';
import { KeyCapReached } from './lease.errors.js';

/** A key as far as its cap matters. `dailyCreditCap` 0 is no cap. */
export interface CappedKey {
  /** Of its line of rotations: a rotation begins no new count. */
  capId: string;
  dailyCreditCap: number;
}

export interface CappedLine extends CappedKey {
  /** The keys of the line that may have been used today. */
  keyIds: string[];
}

/**
 * Credits that capped keys have spent in this UTC day. After a restart the count begins with what the
 * request log has of the day.
 *
 * The rule: a count that is not zero is kept until its day is over. Memory is bounded by taking no
 * further key when it is full; such a key is refused with 503, it never spends uncounted.
 */
export class DailyCaps {
  /** @param loggedToday credits some keys were charged in this UTC day, from the request log. */
  constructor(
    private readonly clock: Clock,
    private readonly loggedToday: (keyIds: string[]) => Promise<number>,
    private readonly spent = new DailyCredits(),
  ) {}

  /**
   * Makes a capped key's count ready; call when its facts have been loaded.
   * @throws ServiceOverloaded when there is no room for it.
   */
  async prepare({ capId, keyIds, dailyCreditCap }: CappedLine): Promise<void> {
    if (dailyCreditCap === 0) return;
    const day = this.today();
    if (this.spent.has(capId, day)) return;
    const credits = await this.loggedToday(keyIds);
    // What was spent before midnight is nothing to the day after it.
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
    if (addition === 'added') return day;
    return addition === 'full' ? new ServiceOverloaded() : new KeyCapReached(cap);
  }

  /** What was reserved before midnight is not given back to the new day. */
  release({ capId, dailyCreditCap }: CappedKey, credits: number, day: number): void {
    if (dailyCreditCap > 0 && credits > 0) {
      this.spent.takeOff(capId, day, credits);
    }
  }

  private today(): number {
    return Math.floor(this.clock.now().getTime() / DAY_MS);
  }
}
