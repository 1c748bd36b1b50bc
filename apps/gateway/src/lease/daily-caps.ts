import { CounterId, DailyCredits } from '#libs/counters';
import { type Clock, DAY_MS, HOUR_MS } from '#libs/platform';

/** A clock that steps back by less than this stands still here: no day begins twice (S101). */
const STEP_MAX_MS = 2 * HOUR_MS;

/** A key as far as its cap matters. `dailyCreditCap` 0 is no cap. */
export interface CappedKey {
  keyId: string;
  dailyCreditCap: number;
}

/**
 * Credits that capped keys have spent in this UTC day. After a restart the count begins with what the
 * request log has of the day. Threads of one process pass the same `spent`, so that their keys have one
 * cap between them.
 */
export class DailyCaps {
  private latestMs = 0;

  /** @param loggedToday credits a key was charged in this UTC day, from the request log. */
  constructor(
    private readonly clock: Clock,
    private readonly loggedToday: (keyId: string) => Promise<number>,
    private readonly spent = new DailyCredits(),
  ) {}

  /** Makes a capped key's count ready; call when its facts have been loaded. */
  async prepare({ keyId, dailyCreditCap }: CappedKey): Promise<void> {
    if (dailyCreditCap === 0) return;
    const id = new CounterId(keyId);
    if (!this.spent.has(id)) this.spent.begin(id, this.today(), await this.loggedToday(keyId));
  }

  /**
   * Counts `cost`, until `release` takes back what was not charged.
   * @returns the UTC day it counts for, by which it is released (0 without a cap), or undefined when
   *   it would pass the cap.
   */
  reserve({ keyId, dailyCreditCap: cap }: CappedKey, cost: number): number | undefined {
    if (cap === 0) return 0;
    const day = this.today();
    return this.spent.add(new CounterId(keyId), day, { cost, cap }) ? day : undefined;
  }

  /** What was reserved before midnight is not given back to the new day. */
  release({ keyId, dailyCreditCap }: CappedKey, credits: number, day: number): void {
    if (dailyCreditCap > 0 && credits > 0) {
      this.spent.takeOff(new CounterId(keyId), day, credits);
    }
  }

  private today(): number {
    const nowMs = this.clock.now().getTime();
    const isStepBack = nowMs < this.latestMs && this.latestMs - nowMs < STEP_MAX_MS;
    if (!isStepBack) this.latestMs = nowMs;
    return Math.floor(this.latestMs / DAY_MS);
  }
}
