import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  RATE_LIMIT_UNIT,
  TIERS,
  packagePriceMicros,
  tierNamed,
  tierOfCredits,
} from '#libs/contracts';

const CENT = 10_000;

describe('catalogue', () => {
  it('I18: the yearly price is 12 × monthly × 0.83, to the cent', () => {
    for (const { name, monthlyMicros, yearlyMicros } of [
      ...TIERS,
      { name: 'rate-limit unit', ...RATE_LIMIT_UNIT },
    ]) {
      expect([name, yearlyMicros]).toEqual([
        name,
        (Math.round(monthlyMicros / CENT) * 12 * 83 * CENT) / 100,
      ]);
    }
  });

  it('a package of a tier costs the price of the tier', () => {
    for (const tier of TIERS) expect(packagePriceMicros(tier.credits)).toBe(tier.packageMicros);
  });

  it.each([
    [10_000, 36_500_000],
    [6_000, 22_500_000],
    [100_000, 270_000_000],
    [2_000_000, 3_350_000_000],
  ])(
    '%i credits cost %i millionths of a dollar, because prices are linear between the tiers',
    (credits, micros) => {
      expect(packagePriceMicros(credits)).toBe(micros);
    },
  );

  it.each([0, -5_000, 4_000, 5_500, 105_000, 3_000_001, 3_010_000, 5_000.5, Number.NaN, Infinity])(
    'S50: %d credits are not sold',
    (credits) => {
      expect(packagePriceMicros(credits)).toBeUndefined();
    },
  );

  it('S50: more credits always cost more, and each price is a whole number of cents', () => {
    fc.assert(
      fc.property(fc.integer({ min: 5, max: 299 }), (tenThousands) => {
        const credits = tenThousands * 10_000;
        const price = packagePriceMicros(credits) as number;
        expect(price % CENT).toBe(0);
        expect(packagePriceMicros(credits + 10_000)).toBeGreaterThan(price);
      }),
      { seed: 20_261_122 },
    );
  });

  it('a package has the rights of the largest tier that it reaches', () => {
    expect(tierOfCredits(4_999)).toBeUndefined();
    expect(tierOfCredits(5_000)?.name).toBe('5K');
    expect(tierOfCredits(149_999)?.name).toBe('50K');
    expect(tierOfCredits(3_000_000)).toBe(tierNamed('3M'));
  });
});
