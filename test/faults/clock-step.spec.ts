import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { skewedClockMissing, steppedClock } from './skewed-clock.js';

const COUNTERS = new URL('../../libs/counters/src/index.js', import.meta.url).href;

/** Uses up the limit of a minute, steps the wall clock, and checks the limit again. */
const PROGRAM = `
  const { writeFileSync } = await import('node:fs');
  const { CounterId, MemoryRateLimiter } = await import('${COUNTERS}');
  const [full, other] = ['0197c000-0000-7000-8000-000000000001', '0197c000-0000-7000-8000-000000000002'].map((id) => new CounterId(id));
  const rateLimiter = new MemoryRateLimiter();
  for (let n = 0; n < 3; n++) rateLimiter.take(full, 0, 3);
  const startedAt = Date.now();
  const seen = [];
  for (const step of ['+1h', '-1h']) {
    writeFileSync(process.argv[1], step);
    const steppedHours = Math.round((Date.now() - startedAt) / 3_600_000);
    seen.push({ steppedHours, full: rateLimiter.take(full, 0, 3), other: rateLimiter.take(other, 0, 3).allowed });
  }
  console.log(JSON.stringify(seen));`;

(skewedClockMissing() ? describe.skip : describe)('a wall clock that steps', () => {
  let folder: string;
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'clock-'))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('S101: a step of an hour in either direction neither frees an account at its limit nor blocks an account below it', () => {
    const file = join(folder, 'offset');
    const output = execFileSync(
      process.execPath,
      ['--input-type=module', '--disable-warning=ExperimentalWarning', '-e', PROGRAM, file],
      { env: { ...process.env, ...steppedClock(file) }, encoding: 'utf8', timeout: 170_000 },
    );
    const [forth, back] = JSON.parse(output);
    expect([forth.steppedHours, back.steppedHours]).toEqual([1, -1]);
    for (const { full, other } of [forth, back]) {
      expect(full.allowed).toBe(false);
      expect(full.resetSeconds).toBeLessThanOrEqual(61);
      expect(other).toBe(true);
    }
  });
});
