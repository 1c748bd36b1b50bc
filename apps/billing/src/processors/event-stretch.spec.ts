import { describe, expect, it } from '@jest/globals';
import { DAY_MS, HOUR_MS, SECOND_MS } from '#libs/platform';
import { readEvents } from './event-stretch.js';
import type { ProcessorEvent } from './payment-processor.js';

const START = new Date('2026-03-02T09:00:00Z');
const FULL = 10;

/** Reads all events at `times` until `now` from a list that holds at most `FULL` events. */
async function readAll(times: readonly number[], now: Date) {
  const [read, lists]: [ProcessorEvent[], number[]] = [[], []];
  let cursor = START;
  for (let hasMore = true; hasMore;) {
    const page = await readEvents(cursor, now, async (start, end) => {
      lists.push(end.getTime() - start.getTime());
      const found = times.filter((ms) => ms >= start.getTime() && ms < end.getTime());
      if (found.length > FULL) return undefined;
      return found.map((ms) => ({ id: `evt_${ms}`, type: 'any', occurredAt: new Date(ms) }));
    });
    read.push(...page.events);
    ({ cursor, hasMore } = page);
  }
  return { read: read.map(({ occurredAt }) => occurredAt.getTime()), lists };
}

describe('missed events', () => {
  const at = (ms: number) => START.getTime() + ms;

  it('a gap of three weeks is read in one call', async () => {
    const times = [at(0), at(20 * DAY_MS)];
    const { read, lists } = await readAll(times, new Date(at(21 * DAY_MS)));
    expect(read).toEqual(times);
    expect(lists).toHaveLength(1);
  });

  it('an hour with more events than a list holds is read completely, each event once and in order', async () => {
    const busy = Array.from({ length: 500 }, (_, n) => at(2 * DAY_MS + n * 7 * SECOND_MS));
    const times = [at(HOUR_MS), ...busy, at(5 * DAY_MS)];
    expect((await readAll(times, new Date(at(6 * DAY_MS)))).read).toEqual(times);
  });

  it('a second with more events than a list holds is an error, so that no event is skipped', async () => {
    const times = Array.from({ length: FULL + 1 }, (_, n) => at(n));
    await expect(readAll(times, new Date(at(DAY_MS)))).rejects.toThrow('too much happened');
  });
});
