import { spawnSync } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { skewedClock, skewedClockMissing } from './skewed-clock.js';

(skewedClockMissing() ? it.skip : it)(
  'a skewed clock is wrong by hours, but no other clock is',
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
