import { describe, expect, it } from '@jest/globals';
import { QuestionPlaces } from './question-places.js';

/** Starts tasks that run until the test ends them. `open` contains the running ones. */
function workOf(places: QuestionPlaces) {
  const open: (() => void)[] = [];
  const ends: Promise<void>[] = [];
  const ask = (count: number) => {
    for (let n = 0; n < count; n += 1) {
      ends.push(places.use(() => new Promise<void>((resolve) => open.push(resolve))));
    }
  };
  const endAll = async () => {
    while (open.length > 0) {
      open.splice(0).forEach((end) => end());
      // Waiting names get the places in a later turn of the event loop.
      await new Promise(setImmediate);
    }
    await Promise.all(ends);
  };
  return { open, ask, endAll };
}

describe('places for names that are looked up at the same time', () => {
  it('become fewer, but never zero, while the event loop is late, and more while it is not', async () => {
    const places = new QuestionPlaces();
    for (let looks = 0; looks < 100; looks += 1) places.adapt(1_000);
    const { open, ask, endAll } = workOf(places);
    ask(2_000);
    const least = open.length;
    expect(least).toBe(16);
    // Names at a slow upstream must not occupy the places that other names wait for.
    expect(places.waitMaxMs).toBe(1_000);
    places.adapt(0);
    await new Promise(setImmediate);
    expect(open.length).toBeGreaterThan(least);
    for (let looks = 0; looks < 100; looks += 1) places.adapt(0);
    await new Promise(setImmediate);
    expect(open).toHaveLength(1_000);
    expect(places.waitMaxMs).toBe(Infinity);
    await endAll();
  });

  it('return to their initial number, and not beyond it, while no name waits for a place', async () => {
    const places = new QuestionPlaces();
    for (let looks = 0; looks < 100; looks += 1) places.adapt(1_000);
    // No name waits for a place, so names may wait for their upstream even though there are few places.
    expect(places.waitMaxMs).toBe(Infinity);
    for (let looks = 0; looks < 100; looks += 1) places.adapt(0);
    const { open, ask, endAll } = workOf(places);
    ask(2_000);
    expect(open.length).toBeGreaterThanOrEqual(64);
    expect(open.length).toBeLessThan(100);
    await endAll();
  });

  it('are released by work that fails, and are assigned in the order of requests', async () => {
    const places = new QuestionPlaces();
    for (let looks = 0; looks < 100; looks += 1) places.adapt(1_000);
    const order: number[] = [];
    const all = Array.from({ length: 100 }, async (_, n) =>
      places.use(async () => {
        order.push(n);
        throw new Error('no');
      }),
    );
    const ended = await Promise.allSettled(all);
    expect(ended.every(({ status }) => status === 'rejected')).toBe(true);
    expect(order).toEqual(all.map((_, n) => n));
  });
});
