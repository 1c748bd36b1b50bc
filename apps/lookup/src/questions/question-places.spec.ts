import { describe, expect, it } from '@jest/globals';
import { QuestionPlaces } from './question-places.js';

/** Work that ends when the test says so, and how much of it is under way. */
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
      // Those that waited take the places in a later turn.
      await new Promise(setImmediate);
    }
    await Promise.all(ends);
  };
  return { open, ask, endAll };
}

describe('the places of names that are looked up at a time', () => {
  it('become fewer while the event loop is late, but never none, and more while it is not', async () => {
    const places = new QuestionPlaces();
    for (let looks = 0; looks < 100; looks += 1) places.adapt(1_000);
    const { open, ask, endAll } = workOf(places);
    ask(2_000);
    const least = open.length;
    expect(least).toBe(16);
    // A slow upstream does not keep them from the names of others.
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

  it('return to their first number, and no further, while no name waits for one', async () => {
    const places = new QuestionPlaces();
    for (let looks = 0; looks < 100; looks += 1) places.adapt(1_000);
    // A single name may wait for its upstream even though places have become few.
    expect(places.waitMaxMs).toBe(Infinity);
    for (let looks = 0; looks < 100; looks += 1) places.adapt(0);
    const { open, ask, endAll } = workOf(places);
    ask(2_000);
    expect(open.length).toBeGreaterThanOrEqual(64);
    expect(open.length).toBeLessThan(100);
    await endAll();
  });

  it('are given back by work that fails, in the order in which they were requested', async () => {
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
