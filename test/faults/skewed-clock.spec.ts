import { spawnSync } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { skewedClock, skewedClockMissing } from './skewed-clock.js';

(skewedClockMissing() ? it.skip : it)(
  'a skewed wall clock is 25 hours slow, and the monotonic clock is right',
  () => {
    const code = 'console.log(JSON.stringify([Date.now(), performance.now()]))';
    const run = spawnSync(process.execPath, ['-e', code], {
      env: { ...process.env, ...skewedClock(-25) },
      encoding: 'utf8',
    });
    const [wallMs, sinceStartMs] = JSON.parse(run.stdout) as [number, number];
    expect(Math.round((Date.now() - wallMs) / 3_600_000)).toBe(25);
    expect(sinceStartMs).toBeGreaterThan(0);
    expect(sinceStartMs).toBeLessThan(3_600_000);
  },
);
