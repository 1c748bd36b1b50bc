import { setImmediate } from 'node:timers/promises';

/** Resolves in the last turn that has been assigned. */
let lastTurn = Promise.resolve();

/**
 * Waits for a turn of the event loop. Each turn belongs to only one piece of long work, so that all long work of this
 * process together hardly delays requests (S102).
 */
export async function nextTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => setImmediate());
  return lastTurn;
}

/** Divides long work into turns of the event loop. */
export class Turns {
  private left: number;

  constructor(private readonly length: number) {
    this.left = length;
  }

  /** Counts work. @returns a promise to await before further work if the turn is over; otherwise undefined. */
  spend(units = 1): Promise<void> | undefined {
    this.left -= units;
    if (this.left > 0) return undefined;
    this.left = this.length;
    return nextTurn();
  }
}
