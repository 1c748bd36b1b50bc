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

const rowOf = (facts: object, words: string) => {
  const text = planCard({ allowance: ALLOWANCE, ...facts })
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

it('a plan on trial is a plan', () => {
  const subscriptions = [{ state: 'trialing', sku: 'api-5K-month', quantity: 1 }];
  const shown = planCard({ subscriptions: subscriptions as SubscriptionAnswer[] }).text;
  expect(shown).not.toContain('no subscription');
});

it('credits are low compared with the last purchase or a larger gift, as in the e-mail, and not with a small gift', () => {
  const grant = (source_type: string, granted: number, day: number) => ({
    source_type,
    granted,
    revoked: 0,
    granted_at: `2026-11-0${day}T00:00:00.000Z`,
  });
  const saidOf = (spendable: number, ...grants: object[]) =>
    lowCredits({ spendable, reserved: 0, frozen: 0, grants } as unknown as BalanceAnswer);
  const bought = grant('package', 10_000, 1);
  expect(saidOf(2_000, bought)).toContain('running out');
  expect(saidOf(2_001, bought)).toBeUndefined();
  expect(saidOf(1_600, bought, grant('operator', 100, 2))).toContain('running out');
  expect(saidOf(9_000, bought, grant('operator', 50_000, 2))).toContain('running out');
  expect(saidOf(9_000, grant('operator', 50_000, 1), grant('package', 10_000, 2))).toBeUndefined();
  expect(saidOf(100, bought, grant('release', 100, 2))).toContain('running out');
});

it('the card says that its counts include requests with test keys, which do not use up its limits', () => {
  expect(planCard({ allowance: ALLOWANCE, pace: PACE }).text).toContain('with test keys');
});
