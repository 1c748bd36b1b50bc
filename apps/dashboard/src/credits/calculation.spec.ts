import { describe, expect, it } from '@jest/globals';
import { SUBSCRIPTION_PLANS, packagePriceMicros, planOfSku } from '#libs/contracts';
import { PACKAGES_SOLD, PRICED_OPERATIONS, calculate } from './calculation.js';

const COUNTS = [
  1, 4_999, 5_000, 5_001, 15_001, 20_000, 23_456, 50_001, 61_000, 99_001, 100_001, 105_001, 155_000,
  249_999, 451_000, 1_000_001, 2_999_001, 3_000_001, 6_105_500,
];

describe('the price calculator', () => {
  it('a plan is combined with a package if that is cheaper than a package or a larger plan', () => {
    const { credits, once } = calculate('whois.live', 20_000)!;
    expect(credits).toBe(20_000);
    expect(once.map(({ plan, micros }) => [plan?.sku, micros])).toEqual([
      ['api-15K-month', 46_000_000],
      [undefined, packagePriceMicros(20_000)],
    ]);
    expect(once[0].packages.map((sold) => sold.credits)).toEqual([5_000]);
  });

  it('a withdrawn plan is not a way to pay', () => {
    const plan = planOfSku('api-15K-month')!;
    plan.isOffered = false;
    const { once } = calculate('whois.live', 20_000)!;
    plan.isOffered = true;
    expect(once.map((way) => way.plan?.sku)).toEqual(['api-5K-month', undefined]);
  });

  it('the first way to pay costs no more than any combination of one plan and packages on sale', () => {
    const packagesFor = cheapestSums(7_000);
    const priceOf = (credits: number) => packagesFor[Math.ceil(Math.max(0, credits) / 1_000)];
    const plans = SUBSCRIPTION_PLANS.filter(({ line }) => line === 'api');
    for (const count of COUNTS) {
      const { once, yearly } = calculate('whois.live', count)!;
      const monthly = plans
        .filter(({ interval }) => interval === 'month')
        .map((plan) => plan.unitMicros + priceOf(count - plan.monthlyCredits));
      expect([count, once[0].micros]).toEqual([count, Math.min(priceOf(count), ...monthly)]);
      if (count * 12 > 7_000_000) continue;
      const ofAYear = plans.map(
        (plan) =>
          plan.unitMicros * (plan.interval === 'month' ? 12 : 1) +
          priceOf(12 * Math.max(0, count - plan.monthlyCredits)),
      );
      expect([count, yearly[0].micros]).toEqual([count, Math.min(priceOf(count * 12), ...ofAYear)]);
    }
  });

  it('each way to pay provides enough credits, and costs as much as its parts together', () => {
    for (const count of COUNTS) {
      const { credits, once, yearly } = calculate('whois.live', count)!;
      for (const [ways, months] of [
        [once, 1],
        [yearly, 12],
      ] as const) {
        for (const { plan, packages, micros } of ways) {
          const bought = packages.reduce((sum, sold) => sum + sold.credits, 0);
          const used = Math.min(credits, plan?.monthlyCredits ?? 0);
          expect(bought + used * months).toBeGreaterThanOrEqual(credits * months);
          const planMicros = (plan?.unitMicros ?? 0) * (plan?.interval === 'month' ? months : 1);
          expect(micros).toBe(packages.reduce((sum, sold) => sum + sold.micros, planMicros));
        }
      }
    }
  });

  it('the calculator offers every operation that costs credits, and rejects free or unknown ones', () => {
    for (const { name } of PRICED_OPERATIONS)
      expect(calculate(name, 1)!.credits).toBeGreaterThan(0);
    expect([calculate('pricing.list', 1), calculate('no.such', 1)]).toEqual([undefined, undefined]);
  });
});

/**
 * Returns, for each number of thousands of credits, the lowest price of any combination of packages with at least that
 * many.
 */
function cheapestSums(thousands: number): number[] {
  const sums = [0];
  for (let place = 1; place <= thousands; place += 1) {
    sums.push(
      PACKAGES_SOLD.reduce(
        (least, { credits, micros }) =>
          Math.min(least, micros + sums[Math.max(0, place - credits / 1_000)]),
        Infinity,
      ),
    );
  }
  return sums;
}
