import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS, MINUTE_MS, monotonicMs } from '#libs/platform';

const FIRST_PAUSE_MS = 10;
const PAUSE_MAX_MS = 50;

/**
 * Waits until `condition` returns a truthy value. The pauses between its checks grow with the waiting time, because
 * checks take CPU time from what is waited for. The default limit is four minutes: machines stall, and a test's own
 * limit of ten minutes would not name the cause.
 * @throws Error that names `what` after `timeoutMs`; the errors of `condition`.
 */
export async function waitFor<T>(
  what: string,
  condition: () => T | Promise<T>,
  timeoutMs = 240_000,
): Promise<NonNullable<T>> {
  const startedAt = monotonicMs();
  for (;;) {
    const value = await condition();
    if (value) return value;
    const waitedMs = monotonicMs() - startedAt;
    if (waitedMs > timeoutMs) throw new Error(`waited ${timeoutMs} ms in vain for: ${what}`);
    await sleep(Math.min(PAUSE_MAX_MS, FIRST_PAUSE_MS + waitedMs / 10));
  }
}

const LONGEST_MS = 20_000;

/**
 * Tries an action with a short time limit, for tests of exceeded time limits. If the answer shows that the time was up
 * too early (`isLate`), as can happen on a busy machine, the action is repeated with ten times the limit, at most 20 s.
 */
export async function withEnoughTime<T>(
  firstMs: number,
  attempt: (ms: number) => Promise<T>,
  isLate: (answer: T) => boolean,
): Promise<T> {
  for (let ms = firstMs; ; ms = Math.min(ms * 10, LONGEST_MS)) {
    const answer = await attempt(ms);
    if (!isLate(answer) || ms >= LONGEST_MS) return answer;
  }
}

/** Waits for the next day in UTC if this one ends within two minutes, for specs that share "today" with a database. */
export async function awayFromMidnight(): Promise<void> {
  const leftMs = DAY_MS - (Date.now() % DAY_MS);
  if (leftMs < 2 * MINUTE_MS) await sleep(leftMs);
}
