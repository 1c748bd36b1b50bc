import { type Clock, DAY_MS } from '#libs/platform';

/** A key as far as its cap matters. `dailyCreditCap` 0 is no cap. */
export interface CappedKey {
  keyId: string;
  dailyCreditCap: number;
}

const KEYS_MAX = 100_000;

/**
 * Credits that capped keys have spent in this UTC day. After a restart the count begins with what the
 * request log has of the day.
 */
export class DailyCaps {
  private readonly spent = new Map<string, { day: number; credits: number }>();

  /** @param loggedToday credits a key was charged in this UTC day, from the request log. */
  constructor(
    private readonly clock: Clock,
    private readonly loggedToday: (keyId: string) => Promise<number>,
  ) {}

  /** Makes a capped key's count ready; call when its facts have been loaded. */
  async prepare({ keyId, dailyCreditCap }: CappedKey): Promise<void> {
    if (dailyCreditCap === 0 || this.spent.has(keyId)) return;
    const credits = await this.loggedToday(keyId);
    if (this.spent.has(keyId)) return;
    if (this.spent.size >= KEYS_MAX) this.spent.clear();
    this.spent.set(keyId, { day: this.today(), credits });
  }

  /**
   * Counts `cost`, until `release` takes back what was not charged.
   * @returns the UTC day it counts for, by which it is released (0 without a cap), or undefined when
   *   it would pass the cap.
   */
  reserve({ keyId, dailyCreditCap }: CappedKey, cost: number): number | undefined {
    if (dailyCreditCap === 0) return 0;
    const day = this.today();
    let entry = this.spent.get(keyId);
    if (entry?.day !== day) {
      entry = { day, credits: 0 };
      this.spent.set(keyId, entry);
    }
    if (entry.credits + cost > dailyCreditCap) return undefined;
    entry.credits += cost;
    return day;
  }

  /** What was reserved before midnight is not given back to the new day. */
  release({ keyId, dailyCreditCap }: CappedKey, credits: number, day: number): void {
    if (dailyCreditCap === 0 || credits === 0) return;
    const entry = this.spent.get(keyId);
    if (entry?.day === day) entry.credits -= credits;
  }

  private today(): number {
    return Math.floor(this.clock.now().getTime() / DAY_MS);
  }
}
