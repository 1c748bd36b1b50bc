import { MINUTE_MS } from '#libs/platform';

const REST_MS = 10 * MINUTE_MS;

/**
 * Remembers for ten minutes what a processor has answered. Until then, it is not asked again: a few seconds later, the
 * answer would be the same, and each attempt costs several calls.
 */
export class Rests {
  private readonly ends = new Map<string, number>();

  begin(name: string, now: Date): void {
    this.ends.set(name, now.getTime() + REST_MS);
  }

  /** Returns the names of what rests at a time. */
  at(now: Date): string[] {
    for (const [name, end] of this.ends) if (end <= now.getTime()) this.ends.delete(name);
    return [...this.ends.keys()];
  }
}
