import { setImmediate } from 'node:timers/promises';

/** Resolves at the last turn that has been handed out. */
let lastTurn = Promise.resolve();

/**
 * Waits for a turn of the event loop. Each turn belongs to one piece of long work, so that requests are hardly delayed,
 * however much of it this process does at a time, and whoever asked for it (S102).
 */
export async function nextTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => setImmediate());
  return lastTurn;
}

/** Divides long work into turns of the event loop. */
export class Turns {
  private left: number;

  /** @param length the units of work in one turn. */
  constructor(private readonly length: number) {
    this.left = length;
  }

  /** Counts work. @returns a promise to await before further work, if the turn is over. */
  spend(units = 1): Promise<void> | undefined {
    this.left -= units;
    if (this.left > 0) return undefined;
    this.left = this.length;
    return nextTurn();
  }
}
