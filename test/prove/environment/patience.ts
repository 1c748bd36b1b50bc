import { setTimeout as sleep } from 'node:timers/promises';
import { Broken } from './broken.js';

const POLL_MS = 100;
/**
 * It ends what hangs. How late something may be is a row's own expectation, held without what the machine's other
 * work took: a service that is killed twice and waits for a processor each time is no fault of the product.
 */
const LIMIT_MS = 180_000;

/**
 * Repeats until it answers something. What it throws counts as "not yet": parts of the installation may
 * be away. @throws Broken after `limitMs`, with what was thrown last.
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
      throw new Broken(`${what} did not come within ${limitMs / 1000} s${why}`, { cause: last });
    }
    await sleep(POLL_MS);
  }
}
