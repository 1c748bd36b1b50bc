import { describe, expect, it } from '@jest/globals';
import { DAY_MS, HOUR_MS, newId } from '#libs/platform';
import { TestClock } from '#libs/testing';
import { DailyCaps } from './daily-caps.js';

const key = { keyId: newId(), dailyCreditCap: 3 };

describe('daily caps', () => {
  it('S14: what is given back after midnight adds nothing to the new day', async () => {
    const clock = new TestClock('2026-03-02T23:59:59Z');
    const caps = new DailyCaps(clock, async () => 0);
    await caps.prepare(key);
    const yesterday = caps.reserve(key, 2) as number;
    expect(caps.reserve(key, 2)).toBeUndefined();
    clock.advance(DAY_MS);
    const today = caps.reserve(key, 3) as number;
    caps.release(key, 2, yesterday);
    expect(caps.reserve(key, 1)).toBeUndefined();
    caps.release(key, 1, today);
    expect(caps.reserve(key, 1)).toBe(today);
  });

  it('S101: a clock that steps back over midnight gives no cap twice', async () => {
    const clock = new TestClock('2026-03-02T23:30:00Z');
    const caps = new DailyCaps(clock, async () => 0);
    await caps.prepare(key);
    expect(caps.reserve(key, 3)).toBeDefined();
    clock.advance(HOUR_MS);
    expect(caps.reserve(key, 3)).toBeDefined();
    clock.advance(-HOUR_MS);
    expect(caps.reserve(key, 1)).toBeUndefined();
    clock.advance(HOUR_MS);
    expect(caps.reserve(key, 1)).toBeUndefined();
    clock.advance(DAY_MS);
    expect(caps.reserve(key, 3)).toBeDefined();
  });

  it('S14: a count begins with what the log has of the day', async () => {
    const caps = new DailyCaps(new TestClock(), async () => 2);
    await caps.prepare(key);
    expect(caps.reserve(key, 1)).toBeDefined();
    expect(caps.reserve(key, 1)).toBeUndefined();
  });
});
