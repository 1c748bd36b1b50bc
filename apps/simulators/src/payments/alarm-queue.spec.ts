import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AlarmQueue } from './alarm-queue.js';

it('alarms go off in chronological order, and simultaneous alarms in the order they were set', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20), { maxLength: 60 }), fc.nat(25), (times, until) => {
      const queue = new AlarmQueue();
      const came: number[] = [];
      for (const [place, atMs] of times.entries()) queue.add({ atMs, run: () => came.push(place) });
      for (let due = queue.takeDue(until); due; due = queue.takeDue(until)) due.run();
      const expected = times
        .map((atMs, place) => ({ atMs, place }))
        .filter(({ atMs }) => atMs <= until)
        .toSorted((a, b) => a.atMs - b.atMs || a.place - b.place);
      expect(came).toEqual(expected.map(({ place }) => place));
    }),
    { seed: 20_261_122 },
  );
});
