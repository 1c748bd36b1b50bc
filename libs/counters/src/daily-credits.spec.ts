import { describe, expect, it } from '@jest/globals';
import { newId } from '#libs/platform';
import { DailyCredits } from './daily-credits.js';

const KEYS_MAX = 64;

describe('DailyCredits', () => {
  it('S14: no count is forgotten before its day is over, however many keys there are', () => {
    const credits = new DailyCredits(KEYS_MAX);
    const ids = Array.from({ length: 3 * KEYS_MAX }, () => newId());
    const first = ids.map((id) => credits.add(id, 20_000, { cost: 2, cap: 2 }));
    expect(first.filter((addition) => addition === 'added')).toHaveLength(KEYS_MAX);
    expect(first.filter((addition) => addition === 'full')).toHaveLength(2 * KEYS_MAX);
    const again = ids.map((id) => credits.add(id, 20_000, { cost: 2, cap: 2 }));
    expect(again).toEqual(first.map((addition) => (addition === 'added' ? 'over' : 'full')));
    const full = ids[first.indexOf('full')];
    expect(credits.begin(full, 20_000, 1)).toBe(false);
    expect(credits.begin(full, 20_000, 0)).toBe(true);
    expect(credits.add(full, 20_001, { cost: 2, cap: 2 })).toBe('added');
  });

  it('S14: a clock set back across midnight grants no second cap', () => {
    const credits = new DailyCredits();
    const id = newId();
    expect(credits.add(id, 20_001, { cost: 2, cap: 2 })).toBe('added');
    expect(credits.add(id, 20_000, { cost: 2, cap: 2 })).toBe('over');
    credits.takeOff(id, 20_000, 2);
    expect(credits.add(id, 20_001, { cost: 2, cap: 2 })).toBe('over');
    expect(credits.add(id, 19_000, { cost: 2, cap: 2 })).toBe('added');
  });
});
