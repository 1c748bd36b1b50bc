import { describe, expect, it } from '@jest/globals';
import { divideHalfUp } from '#libs/platform';
import { SUBSCRIPTION_PLANS, offeredPlans, planOfSku, rightsOf } from '#libs/contracts';

describe('subscription plans', () => {
  it('I18: each yearly price is 12 × monthly × 0.83, rounded half up to the cent', () => {
    const yearly = SUBSCRIPTION_PLANS.filter(({ interval }) => interval === 'year');
    for (const { sku, unitMicros, monthlyMicros } of yearly) {
      const cents = divideHalfUp(BigInt(monthlyMicros) * 12n * 83n, 100n * 10_000n);
      expect([sku, BigInt(unitMicros)]).toEqual([sku, cents * 10_000n]);
    }
  });

  it('there are seven API plans, five Domainer plans and the add-on, at two intervals', () => {
    const lines = Object.groupBy(SUBSCRIPTION_PLANS, ({ line }) => line);
    const counts = Object.entries(lines).map(([line, plans]) => [line, plans?.length]);
    expect(Object.fromEntries(counts)).toEqual({ api: 14, domainer: 10, rate_limit: 2 });
    expect(new Set(SUBSCRIPTION_PLANS.map(({ sku }) => sku)).size).toBe(26);
  });

  it('a plan that was ever sold is found, but after its withdrawal it is no longer offered', () => {
    const apis = ['5K', '15K', '50K', '150K', '450K', '1M', '3M'].map((tier) => `api-${tier}`);
    const sets = ['names', 'whois', 'cleaned-whois', 'dns', 'all'].map((set) => `domainer-${set}`);
    for (const name of [...apis, ...sets, 'rate-limit']) {
      for (const sku of [`${name}-month`, `${name}-year`])
        expect(planOfSku(sku)).toMatchObject({ sku });
    }
    const plan = planOfSku('api-15K-year')!;
    expect(offeredPlans()).toContain(plan);
    plan.isOffered = false;
    expect(offeredPlans()).not.toContain(plan);
    expect(planOfSku('api-15K-year')).toBe(plan);
    plan.isOffered = true;
  });

  it('a plan is found only by its SKU, and its rights are multiplied by the number of units', () => {
    expect(planOfSku('api-15K-year')).toMatchObject({
      unitMicros: 268_920_000,
      monthlyCredits: 15_000,
    });
    expect(planOfSku('api-15k-year')).toBeUndefined();
    const addOn = planOfSku('rate-limit-month')!;
    expect(rightsOf(addOn, 3).limits).toEqual({ live: 150, bulk: 36, heavy: 18 });
  });
});
