import { RATE_CLASSES, type RateClass } from '#libs/contracts';

/** Requests under way at most, by class, over all accounts: heavy searches cannot starve lookups. */
const UNDER_WAY_MAX: Record<RateClass, number> = {
  live: 1_500,
  bulk: 200,
  heavy: 100,
  account: 200,
};

/** Counts the requests that are being answered, by class. */
export class ClassConcurrency {
  private readonly underWay = RATE_CLASSES.map(() => 0);
  private readonly max: number[];

  constructor(limits: Partial<Record<RateClass, number>> = {}) {
    this.max = RATE_CLASSES.map((rateClass) => limits[rateClass] ?? UNDER_WAY_MAX[rateClass]);
  }

  /** False when the class is full. Each true is followed by one `leave`. */
  enter(place: number): boolean {
    if (this.underWay[place] >= this.max[place]) return false;
    this.underWay[place]++;
    return true;
  }

  leave(place: number): void {
    this.underWay[place]--;
  }
}
