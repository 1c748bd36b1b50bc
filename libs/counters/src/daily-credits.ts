const KEYS_MAX = 200_000;

/**
 * `over`: the total would exceed the cap. `full`: the key has no count, and no entry is free. In both cases, nothing is
 * added.
 */
export type DailyAddition = 'added' | 'over' | 'full';

/**
 * Counts the credits that each key has spent in a day, in the memory of one process.
 *
 * No count is dropped before its day is over: all counts belong to one day and are dropped at the first request of a
 * later day, and new keys are refused once there are `keysMax`. A key without an entry has therefore spent nothing on
 * that day in this process. If the clock steps back over midnight, the later day continues. If it steps back by more
 * than a day, a new day begins; otherwise, a clock that was once years ahead would keep the caps of that day in force
 * forever.
 */
export class DailyCredits {
  private readonly credits = new Map<string, number>();
  private day = 0;

  constructor(private readonly keysMax = KEYS_MAX) {}

  has(keyId: string, day: number): boolean {
    this.turnTo(day);
    return this.credits.has(keyId);
  }

  /**
   * Starts a key's count for a day at `credits`, unless `credits` is 0 or the key has a count.
   * @returns false if no entry is free.
   */
  begin(keyId: string, day: number, credits: number): boolean {
    this.turnTo(day);
    return this.credits.has(keyId) || credits === 0 || this.enter(keyId, credits);
  }

  /**
   * Adds `cost` (not 0) to the key's total for the day.
   * @returns `over` if the total would exceed `cap`, and `full` if the key has no count and no entry is free; in both
   * cases, nothing is added.
   */
  add(keyId: string, day: number, { cost, cap }: { cost: number; cap: number }): DailyAddition {
    this.turnTo(day);
    const spent = this.credits.get(keyId);
    if ((spent ?? 0) + cost > cap) return 'over';
    if (spent === undefined) return this.enter(keyId, cost) ? 'added' : 'full';
    this.credits.set(keyId, spent + cost);
    return 'added';
  }

  /**
   * Raises a key's count for the current day to `credits`, which another source counted. Does nothing for another day,
   * for a key without a count, or if the count is higher.
   */
  raise(keyId: string, day: number, credits: number): void {
    const spent = this.credits.get(keyId);
    if (this.day === day && spent !== undefined && spent < credits)
      this.credits.set(keyId, credits);
  }

  /** Subtracts credits from a key's count if `day` is the current day and the key has a count. */
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
