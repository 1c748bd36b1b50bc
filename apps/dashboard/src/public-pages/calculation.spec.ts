import { describe, expect, it } from '@jest/globals';
import { packagePriceMicros } from '#libs/contracts';
import { PRICED_OPERATIONS, calculate } from './calculation.js';

describe('the price calculator', () => {
  it('names the smallest package and plans that provide the credits', () => {
    const found = calculate('whois.live', 15_001)!;
    expect(found.credits).toBe(15_001);
    expect(found.package).toEqual({ credits: 16_000, micros: packagePriceMicros(16_000) });
    expect(found.plans.map(({ sku }) => sku)).toEqual(['api-50K-month', 'api-50K-year']);
  });

  it('offers every operation that costs credits, and rejects free or unknown ones', () => {
    for (const { name } of PRICED_OPERATIONS)
      expect(calculate(name, 1)!.credits).toBeGreaterThan(0);
    expect([calculate('pricing.list', 1), calculate('no.such', 1)]).toEqual([undefined, undefined]);
  });

  it('says that no package provides more than the largest one', () => {
    const { package: sold, plans } = calculate('whois.live', 3_000_001)!;
    expect([sold, plans]).toEqual([undefined, []]);
  });
});
