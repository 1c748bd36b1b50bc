import { expect, it } from '@jest/globals';
import type {
  Allowance,
  BalanceAnswer,
  MonitorAnswer,
  PaceAnswer,
  SubscriptionAnswer,
} from '#libs/contracts';
import { lowCredits, planCard } from './plan-card.js';

const ALLOWANCE: Allowance = {
  accountId: 'a',
  version: '1',
  limits: { live: 40, bulk: 10, heavy: 5, account: 60 },
  keys: 3,
  monitors: { domain: 20, brand: 2, registrant: 2 },
  datasets: [],
  blocks: [],
};
const pace = { last_minute: 41, busiest_minute: 50 };
const PACE: PaceAnswer = { live: pace, bulk: pace, heavy: pace };
const monitor = (kind: string, state: string) => ({ kind, state }) as MonitorAnswer;

const now = new Date('2026-11-30T12:00:00Z');
const rowOf = (facts: object, words: string) => {
  const text = planCard({ allowance: ALLOWANCE, now, ...facts })
    .text.replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');
  return new RegExp(`${words} (\\S+) (\\S+) (\\S+) (\\S+)`).exec(text)?.slice(1);
};

it('a limit shows the allowed, used and remaining numbers, and the remaining number is never negative', () => {
  const monitors = [
    monitor('domain', 'active'),
    monitor('domain', 'paused'),
    monitor('brand', 'over_limit'),
  ];
  expect(rowOf({ pace: PACE }, 'Live requests a minute')).toEqual(['40', '41', '0', '50']);
  expect(rowOf({ monitors }, 'Domain monitors')).toEqual(['20', '1', '19', '–']);
  expect(rowOf({ monitors }, 'Brand monitors')).toEqual(['2', '0', '2', '–']);
});

it('an unknown value is shown as a dash, not as zero', () => {
  expect(rowOf({}, 'Domain monitors')).toEqual(['20', '–', '–', '–']);
});

const wordsOf = (subscriptions: object[]) =>
  planCard({ subscriptions: subscriptions as SubscriptionAnswer[], now }).text;

it('a plan on trial is a plan', () => {
  const subscriptions = [{ state: 'trialing', sku: 'api-5K-month', quantity: 1 }];
  expect(wordsOf(subscriptions)).not.toContain('no subscription');
});

it('a plan before its first payment is not shown as one that works', () => {
  const owned = { state: 'active', sku: 'api-5K-month', quantity: 1, paid_through: null };
  expect(wordsOf([owned])).toContain('API plan 5K (waiting for the first payment)');
});

it('a plan whose payment failed is not shown like a paid one', () => {
  const owned = { state: 'past_due', sku: 'api-5K-month', quantity: 1, paid_through: null };
  expect(wordsOf([owned])).toMatch(
    /The payment for API plan 5K failed\.\s+<a href="\/subscriptions">/,
  );
  expect(wordsOf([{ ...owned, state: 'active' }])).not.toContain('failed');
});

it('a plan that was cancelled at PayPal is shown until the end of the paid time', () => {
  const owned = (paid_through: string) => [
    { state: 'cancelled', sku: 'api-5K-month', quantity: 1, paid_through },
  ];
  expect(wordsOf(owned('2026-12-14T10:00:00.000Z'))).toContain('API plan 5K until 2026-12-14');
  expect(wordsOf(owned('2026-11-30T11:00:00.000Z'))).toContain('no subscription');
});

it('credits are called low from the number on at which entitlement sends the e-mail', () => {
  const saidOf = (spendable: number, low_at?: number) =>
    lowCredits({
      spendable,
      reserved: 0,
      frozen: 0,
      low_at,
      grants: [],
    } as unknown as BalanceAnswer);
  expect(saidOf(30_000, 30_000)).toContain('running out');
  expect(saidOf(30_001, 30_000)).toBeUndefined();
  expect(saidOf(0, 30_000)).toContain('no credits left');
  // Entitlement of an earlier release does not say it.
  expect(saidOf(1)).toBeUndefined();
});

it('the card says that its counts include requests with test keys, which do not use up its limits', () => {
  expect(planCard({ allowance: ALLOWANCE, pace: PACE, now }).text).toContain('with test keys');
});
