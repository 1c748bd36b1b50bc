import { describe, expect, it } from '@jest/globals';
import { addMonths, divideHalfUp, roundToCent, shareOfMoney } from '#libs/platform';

describe('money', () => {
  it('halves are rounded up, for a credit note and for its invoice', () => {
    expect([roundToCent(4_999n), roundToCent(5_000n), roundToCent(15_000n)]).toEqual([
      0n,
      10_000n,
      20_000n,
    ]);
    expect(roundToCent(-5_000n)).toBe(-10_000n);
    expect(divideHalfUp(-3n, 2n)).toBe(-2n);
    expect(() => divideHalfUp(1n, 0n)).toThrow(RangeError);
  });

  it('a share is rounded once', () => {
    // 13/31 of 10 dollars is 4.193548…, rounded to cents. No floating-point numbers are used.
    expect(shareOfMoney(10_000_000n, 13n, 31n)).toBe(4_190_000n);
    expect(shareOfMoney(9_007_199_254_740_993_000n, 1n, 1n)).toBe(9_007_199_254_740_990_000n);
  });
});

describe('months from an anchor', () => {
  it.each([
    ['2026-01-31', 1, '2026-02-28'],
    ['2026-01-31', 2, '2026-03-31'],
    ['2028-01-31', 1, '2028-02-29'],
    ['2026-12-31', 2, '2027-02-28'],
    ['2028-02-29', 12, '2029-02-28'],
  ])('%s plus %i months is %s', (anchor, months, expected) => {
    expect(addMonths(new Date(`${anchor}T12:00:00Z`), months)).toEqual(
      new Date(`${expected}T12:00:00Z`),
    );
  });
});
