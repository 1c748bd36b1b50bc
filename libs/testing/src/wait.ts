import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits until `condition` returns something truthy, looking every 10 ms.
 * @throws with `what` after `timeoutMs` (default 60 s, as machines stall).
 */
export async function waitFor<T>(
  what: string,
  condition: () => T | Promise<T>,
  timeoutMs = 60_000,
): Promise<NonNullable<T>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (performance.now() > deadline)
      throw new Error(`waited ${timeoutMs} ms in vain for: ${what}`);
    await sleep(10);
  }
}
