import { SECOND_MS } from './clock.js';

/** After this time, a use counts half. */
const HALF_LIFE_MS = 5 * SECOND_MS;

/**
 * Measures how much one account has used lately, so that accounts with less use come first. A count per minute would let
 * every account whose minute begins overtake the others.
 */
export class RecentUse {
  private amount = 0;
  private atMs = 0;

  add(amount: number, nowMs: number): void {
    this.amount = this.at(nowMs) + amount;
    this.atMs = nowMs;
  }

  at(nowMs: number): number {
    return this.amount * 2 ** ((this.atMs - nowMs) / HALF_LIFE_MS);
  }
}
