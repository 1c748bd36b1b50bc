import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits for work at most `limitMs`. The work itself is not stopped: whoever waits must make its further
 * writes impossible, as a rolled-back transaction does.
 * @throws with `what` after the limit.
 */
export async function withinTime<T>(work: Promise<T>, limitMs: number, what: string): Promise<T> {
  const ended = new AbortController();
  const limit = sleep(limitMs, undefined, { signal: ended.signal }).then(() => {
    throw new Error(`${what} did not end within ${limitMs} ms`);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    ended.abort();
  }
}
