/** A generator of pseudo-random numbers; the same seed gives the same numbers. */
export class SeededRandom {
  private state: number;

  constructor(...seeds: readonly number[]) {
    this.state = 0x9e3779b9;
    for (const seed of seeds) {
      this.state = Math.imul(this.state ^ (seed >>> 0), 0x85ebca6b) ^ Math.floor(seed / 2 ** 32);
      this.next();
    }
  }

  /** Returns a number from 0 (inclusive) to 1 (exclusive), by mulberry32. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns a whole number below `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  isLikely(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)];
  }

  /** Picks an item of a list. The first items are far more likely, as with real providers and owners. */
  pickSkewed<T>(items: readonly T[]): T {
    return items[Math.floor(this.next() ** 2.5 * items.length)];
  }
}
