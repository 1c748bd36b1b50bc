import { setTimeout as sleep } from 'node:timers/promises';

/** Thrown if a scenario's own expectation is not met; the message explains why. */
export class Broken extends Error {}

export function holds(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new Broken(otherwise);
}

const POLL_MS = 100;
/** Only ends hanging attempts: each scenario has its own expectation of how late an effect may be. */
const LIMIT_MS = 180_000;

/**
 * Repeats an attempt until it returns a value. Errors count as "not yet", because parts of the installation may be
 * down.
 * @throws Broken after `limitMs`, with the last error.
 */
export async function eventually<T>(
  what: string,
  attempt: () => Promise<T | undefined | false>,
  limitMs = LIMIT_MS,
): Promise<T> {
  const until = performance.now() + limitMs;
  let last: unknown;
  for (;;) {
    try {
      const found = await attempt();
      if (found !== undefined && found !== false) return found;
    } catch (error) {
      last = error;
    }
    if (performance.now() > until) {
      const why = last instanceof Error ? `: ${last.message}` : '';
      throw new Broken(`${what} did not happen within ${limitMs / 1000} s${why}`, { cause: last });
    }
    await sleep(POLL_MS);
  }
}
