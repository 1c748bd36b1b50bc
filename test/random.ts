/** Numbers that depend only on a seed (a mixing step, then xorshift32), the same on every machine. */
export class Random {
  private state: number;

  constructor(readonly seed: number) {
    this.state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) | 1;
    for (let i = 0; i < 4; i++) this.next();
  }

  /** Returns a separate generator for each name, so that its choices do not depend on those of others. */
  for(name: string): Random {
    let hash = this.seed >>> 0;
    for (const letter of name) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193) >>> 0;
    return new Random(hash);
  }

  /** Returns a number with 0 ≤ x < 1. */
  next(): number {
    let x = this.state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.state = x;
    return (x >>> 0) / 0x1_0000_0000;
  }

  between(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return probability > 0 && this.next() < probability;
  }

  pick<T>(among: readonly T[]): T {
    return among[this.between(0, among.length - 1)];
  }

  bytes(size: number): Buffer {
    return Buffer.from(Array.from({ length: size }, () => this.between(0, 255)));
  }
}
