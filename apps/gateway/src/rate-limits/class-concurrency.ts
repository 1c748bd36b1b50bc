import { RATE_CLASSES, type RateClass } from '#libs/contracts';

/** Requests under way at most, by class, over all accounts: heavy searches cannot starve lookups. */
const UNDER_WAY_MAX: Record<RateClass | 'public', number> = {
  live: 1_500,
  bulk: 200,
  heavy: 100,
  account: 200,
  public: 200,
};
const CLASSES = [...RATE_CLASSES, 'public'] as const;

/** Place of a class in the counts. */
export function classPlace(name: RateClass | 'public'): number {
  return CLASSES.indexOf(name);
}

/** Counts the requests that are being answered, by class. */
export class ClassConcurrency {
  private readonly underWay = CLASSES.map(() => 0);
  private readonly max: number[];

  constructor(limits: Partial<Record<RateClass, number>> = {}) {
    const max = { ...UNDER_WAY_MAX, ...limits };
    this.max = CLASSES.map((name) => max[name]);
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
