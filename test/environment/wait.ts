import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '#libs/platform';

/**
 * Waits until `condition` returns something truthy, looking every 10 ms.
 * @throws with `what` after `timeoutMs`, by default two minutes: machines stall, and a test that has five is to say what
 *   it waited for.
 */
export async function waitFor<T>(
  what: string,
  condition: () => T | Promise<T>,
  timeoutMs = 120_000,
): Promise<NonNullable<T>> {
  const deadline = monotonicMs() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (monotonicMs() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for: ${what}`);
    await sleep(10);
  }
}

const LONGEST_MS = 20_000;

/**
 * For what ends by a time-out of ours after something has arrived: `attempt` is given a time, and ten times as much
 * as long as its answer shows that the time was over before that (`isLate`), as on a busy machine.
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
