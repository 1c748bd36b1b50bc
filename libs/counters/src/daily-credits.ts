/** Keys that may have spent something in a day before none further is counted. */
const KEYS_MAX = 200_000;

/** `full`: no entry is free, the key has no count and nothing was added. */
export type DailyAddition = 'added' | 'over' | 'full';

/**
 * Credits that each key has spent in a day, in the memory of one process.
 *
 * No count is given up before its day is over: all counts are of one day, go at the first question of a later one, and
 * no further key is taken when there are `keysMax`. So a key without an entry has spent exactly nothing of that day in
 * this process. If the clock steps back over midnight, the later day continues. If it steps back by more than a day, a
 * new day begins, because a clock that was years ahead would otherwise hold the caps of that day for ever.
 */
export class DailyCredits {
  private readonly credits = new Map<string, number>();
  private day = 0;

  constructor(private readonly keysMax = KEYS_MAX) {}

  /** True when the key has a count of this day. */
  has(keyId: string, day: number): boolean {
    this.turnTo(day);
    return this.credits.has(keyId);
  }

  /**
   * Starts a key's count for a day, if there is none yet.
   * @returns false if no entry is free.
   */
  begin(keyId: string, day: number, credits: number): boolean {
    this.turnTo(day);
    return this.credits.has(keyId) || credits === 0 || this.enter(keyId, credits);
  }

  /** Adds `cost` (not 0) unless the key's day would pass `cap`. */
  add(keyId: string, day: number, { cost, cap }: { cost: number; cap: number }): DailyAddition {
    this.turnTo(day);
    const spent = this.credits.get(keyId);
    if ((spent ?? 0) + cost > cap) return 'over';
    if (spent === undefined) return this.enter(keyId, cost) ? 'added' : 'full';
    this.credits.set(keyId, spent + cost);
    return 'added';
  }

  /** Raises a key's count to a value known from elsewhere; never lowers it. */
  raise(keyId: string, day: number, credits: number): void {
    const spent = this.credits.get(keyId);
    if (this.day === day && spent !== undefined && spent < credits)
      this.credits.set(keyId, credits);
  }

  /** Takes credits off a day's count; what belongs to another day is left as it is. */
  takeOff(keyId: string, day: number, credits: number): void {
    const spent = this.credits.get(keyId);
    if (this.day === day && spent !== undefined) this.credits.set(keyId, spent - credits);
  }

  private turnTo(day: number): void {
    if (day === this.day || day === this.day - 1) return;
    this.credits.clear();
    this.day = day;
  }

  private enter(keyId: string, credits: number): boolean {
    if (this.credits.size >= this.keysMax) return false;
    this.credits.set(keyId, credits);
    return true;
  }
}
