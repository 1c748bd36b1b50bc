import type { BucketTerms } from './upstream-limits.js';

/** A budget that needs longer than this to refill is scarce. */
const SCARCE_FILL_SECONDS = 600;
/** A caller that asked for a query within this time still counts as active. */
const RECENT_MS = 3_600_000;
/** The maximum share of the remaining tokens for one caller. */
const SHARE = 0.25;
const ASKERS_MAX = 10_000;

interface Asker {
  /** The number of the caller's queries whose tokens have not been refilled yet. */
  spent: number;
  countedAtMs: number;
  askedAtMs: number;
}

/** True if a budget refills so slowly that one caller could leave nothing to the others for a long time. */
export function isScarce({ burst, perSecond }: BucketTerms): boolean {
  return burst / perSecond > SCARCE_FILL_SECONDS;
}

/**
 * Shares a budget that refills slowly. While others are active, one caller may spend at most a quarter of the tokens
 * that were left before its own recent queries. A single active caller may use all but the last quarter. A caller
 * without recent queries may always send one.
 */
export class BudgetShares {
  private readonly askers = new Map<string, Asker>();

  constructor(private readonly terms: BucketTerms) {}

  /**
   * Notes that a caller is active, and returns whether it may send one more query.
   * @param waiting queries of the same caller that are already waiting.
   * @param left tokens left in the budget.
   */
  mayAsk(name: string, waiting: number, left: number, nowMs: number): boolean {
    const asker = this.askerNamed(name, nowMs);
    asker.askedAtMs = nowMs;
    const spent = this.spentBy(asker, nowMs) + waiting;
    if (spent < 1) return true;
    if (this.hasOthers(name, nowMs)) return spent + 1 <= (left + spent) * SHARE;
    return left - waiting > this.terms.burst * SHARE;
  }

  take(name: string, nowMs: number): void {
    const asker = this.askerNamed(name, nowMs);
    asker.spent = this.spentBy(asker, nowMs) + 1;
    asker.countedAtMs = nowMs;
  }

  private spentBy({ spent, countedAtMs }: Asker, nowMs: number): number {
    return Math.max(0, spent - ((nowMs - countedAtMs) / 1_000) * this.terms.perSecond);
  }

  private hasOthers(name: string, nowMs: number): boolean {
    for (const [other, { askedAtMs }] of this.askers) {
      if (other !== name && nowMs - askedAtMs < RECENT_MS) return true;
    }
    return false;
  }

  private askerNamed(name: string, nowMs: number): Asker {
    const known = this.askers.get(name);
    if (known) return known;
    if (this.askers.size >= ASKERS_MAX) {
      const [oldest] = this.askers.keys();
      this.askers.delete(oldest);
    }
    const asker = { spent: 0, countedAtMs: nowMs, askedAtMs: nowMs };
    this.askers.set(name, asker);
    return asker;
  }
}
