import { setTimeout as sleep } from 'node:timers/promises';
import { Broken } from '../scenario.js';

const POLL_MS = 100;

/**
 * Repeats until it answers something. What it throws counts as "not yet": parts of the installation may
 * be away. @throws Broken after `limitMs`, with what was thrown last.
 */
export async function eventually<T>(
  what: string,
  attempt: () => Promise<T | undefined | false>,
  limitMs = 40_000,
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
      throw new Broken(`${what} did not come within ${limitMs / 1000} s${why}`, { cause: last });
    }
    await sleep(POLL_MS);
  }
}
