import { createHistogram, type monitorEventLoopDelay } from 'node:perf_hooks';
import { expect, it } from '@jest/globals';
import { LoadShedder } from './01-shed.js';

const NANOSECONDS = 1e6;

it('requests are rejected only after two late seconds in a row', () => {
  const delays = createHistogram();
  const measured = delays as unknown as ReturnType<typeof monitorEventLoopDelay>;
  const shedder = new LoadShedder({ inFlightMax: 1, delayMaxMs: 100 }, measured);
  const after = (delayMs: number) => {
    delays.record(delayMs * NANOSECONDS);
    shedder.sample();
    return shedder.isOverloaded;
  };
  expect([500, 20, 500, 500, 500, 20].map(after)).toEqual([false, false, false, true, true, false]);
});
