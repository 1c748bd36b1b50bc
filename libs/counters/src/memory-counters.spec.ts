import { describe, expect, it } from '@jest/globals';
import { newId } from '#libs/platform';
import { CounterId } from './counter-id.js';
import { MemoryRepeatWindow } from './memory-repeat-window.js';
import { MemoryRateLimiter } from './memory-rate-limiter.js';
import { repeatWindowContract } from './repeat-window.contract.js';
import { rateLimiterContract } from './rate-limiter.contract.js';

const SMALL_ENTRIES = 64;
const FEW_ENTRIES = 1 << 14;

rateLimiterContract('MemoryRateLimiter', (nowMs) => new MemoryRateLimiter(nowMs, SMALL_ENTRIES));
repeatWindowContract(
  'MemoryRepeatWindow',
  (nowMs) => new MemoryRepeatWindow({ nowMs, entriesMax: FEW_ENTRIES }),
);

describe('MemoryRateLimiter', () => {
  it('idle entries are reused, and active entries are never mixed up', () => {
    let now = 1_000_000;
    const rateLimiter = new MemoryRateLimiter(() => now, SMALL_ENTRIES);
    const steady = new CounterId(newId());
    let admitted = 0;
    for (let round = 0; round < 2_000; round++) {
      now += 1_200;
      rateLimiter.take(new CounterId(newId()), 0, 1);
      if (rateLimiter.take(steady, 0, 10).allowed) admitted++;
    }
    expect(rateLimiter.size).toBeLessThanOrEqual(64);
    // 2,400 seconds contain 39 full windows of 61 seconds and a part of another one.
    expect(admitted).toBeLessThanOrEqual(400);
    expect(admitted).toBeGreaterThanOrEqual(390);
  });

  it('if every entry is in use, further accounts are rejected and none is forgotten', () => {
    let now = 1_000_000;
    const rateLimiter = new MemoryRateLimiter(() => now, 8);
    const ids = Array.from({ length: 8 }, () => new CounterId(newId()));
    for (const id of ids) expect(rateLimiter.take(id, 0, 1).allowed).toBe(true);
    expect(rateLimiter.take(new CounterId(newId()), 0, 1).allowed).toBe(false);
    for (const id of ids) expect(rateLimiter.take(id, 0, 1).allowed).toBe(false);
    now += 62_000;
    expect(rateLimiter.take(new CounterId(newId()), 0, 1).allowed).toBe(true);
  });

  it('S101: a step of the wall clock has no effect, because only monotonic time is read', () => {
    const rateLimiter = new MemoryRateLimiter();
    const id = new CounterId(newId());
    const realNow = Date.now;
    try {
      for (const stepMs of [0, 3_600_000, -3_600_000]) {
        Date.now = () => realNow() + stepMs;
        rateLimiter.take(id, 0, 3);
      }
      expect(rateLimiter.take(id, 0, 3).allowed).toBe(false);
      Date.now = () => realNow() + 86_400_000;
      expect(rateLimiter.take(id, 0, 3).allowed).toBe(false);
    } finally {
      Date.now = realNow;
    }
  });
});

describe('MemoryRepeatWindow', () => {
  it('a full bucket forgets its oldest request, so memory stays bounded', () => {
    let now = 1_000_000;
    const repeatWindow = new MemoryRepeatWindow({ nowMs: () => now, entriesMax: 8 });
    const id = new CounterId(newId());
    for (let i = 0; i < 9; i++) {
      now += 1;
      repeatWindow.remember(id, `question ${i}`);
    }
    expect(repeatWindow.isRepeat(id, 'question 0')).toBe(false);
    expect(repeatWindow.isRepeat(id, 'question 8')).toBe(true);
  });
});
