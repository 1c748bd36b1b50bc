import { expect, it } from '@jest/globals';
import type { BalanceAnswer, SubscriptionAnswer } from '#libs/contracts';
import { cancelPage, subscriptionsPage } from './subscriptions-page.js';

const CONTEXT = { csrfToken: 'token', isLoggedIn: true, hasMailbox: false };
const ACTIVE: SubscriptionAnswer = {
  id: '0198-s',
  line: 'api',
  state: 'active',
  sku: 'api-15K-month',
  quantity: 1,
  interval: 'month',
  amount_micros: '27000000',
  tax_micros: '0',
  currency: 'USD',
  processor: 'paypal',
  period_start: '2026-11-20T10:00:00.000Z',
  period_end: '2026-12-20T10:00:00.000Z',
  paid_through: '2026-12-20T10:00:00.000Z',
  cancel_at: null,
  pending_change: null,
  unpaid_change: null,
  is_current: true,
};
const OVERDUE: SubscriptionAnswer = {
  ...ACTIVE,
  state: 'past_due',
  paid_through: ACTIVE.period_start,
};

it('a cancellation can be undone until the end of the period, but not that of an overdue plan', () => {
  expect(cancelPage(CONTEXT, ACTIVE).text).toContain('you can undo the cancellation');
  expect(cancelPage(CONTEXT, OVERDUE).text).not.toContain('undo');
});

/** A plan in the first hour of its next period, for which the processor has not charged yet. */
const BEGUN: SubscriptionAnswer = { ...ACTIVE, paid_through: ACTIVE.period_start };

it('the cancellation of a plan whose period has begun unpaid says that Stripe charges for it, and that it ends at once at PayPal', () => {
  const { text } = cancelPage(CONTEXT, { ...BEGUN, processor: 'stripe' });
  const charged = 'The period that began on 2026-11-20 (UTC) is still charged, then no other.';
  expect(text).toContain(charged);
  expect(text).toContain('It works until 2026-12-20 (UTC)');
  const atPaypal = cancelPage(CONTEXT, BEGUN).text;
  expect(atPaypal).toContain('You are not charged again.');
  expect(atPaypal).toContain('It works until the paid period is over');
  expect(atPaypal).not.toContain('undo');
});

it('a plan whose period has begun unpaid is not said to be paid', () => {
  const balance = { grants: [], spendable: 0, reserved: 0 } as unknown as BalanceAnswer;
  const shown = (one: SubscriptionAnswer) =>
    subscriptionsPage(CONTEXT, { subscriptions: [one], balance }).text;
  expect(shown(ACTIVE)).toContain('its credits are on their way');
  expect(shown(BEGUN)).not.toContain('its credits are on their way');
});

it('an overdue plan at Stripe has a button with which it is paid', () => {
  const { text } = subscriptionsPage(CONTEXT, {
    subscriptions: [{ ...OVERDUE, processor: 'stripe' }],
  });
  expect(text).toContain('aria-label="Pay: API plan 15K"');
  expect(text).toContain('Pay it with this or another card.');
});

it('a plan can be cancelled even while a change waits for the end of the period', () => {
  const pending_change = { sku: 'api-5K-month', quantity: 1, at: ACTIVE.period_end };
  const changing = { ...ACTIVE, pending_change };
  const { text } = subscriptionsPage(CONTEXT, { subscriptions: [changing] });
  expect(text).toContain('href="/subscriptions/0198-s/cancel"');
  const lost = 'The change to API plan 5K does not take place.';
  expect(cancelPage(CONTEXT, changing).text).toContain(lost);
  expect(cancelPage(CONTEXT, ACTIVE).text).not.toContain('does not take place');
});

it('a plan whose next period is already paid works until the end of that period after a cancellation', () => {
  const { text } = cancelPage(CONTEXT, { ...ACTIVE, paid_through: '2027-01-20T10:00:00.000Z' });
  expect(text).toContain('It works until 2027-01-20 (UTC)');
  expect(text).toContain('Its unused credits expire on 2027-01-20 (UTC).');
});

it('an overdue plan keeps working, but not one that was never paid', () => {
  const shown = (one: SubscriptionAnswer) =>
    subscriptionsPage(CONTEXT, { subscriptions: [one] }).text;
  expect(shown(OVERDUE)).toContain('Everything keeps working for 7 days after the paid period.');
  const unpaid = shown({ ...OVERDUE, paid_through: null });
  expect(unpaid).toContain('The plan begins once it is paid.');
  expect(unpaid).not.toContain('keeps working');
});

it('only a plan that is paid for is said to renew', () => {
  const dates = (one: Partial<SubscriptionAnswer>) =>
    subscriptionsPage(CONTEXT, { subscriptions: [{ ...ACTIVE, ...one }] }).text;
  expect(dates({})).toContain('renews 2026-12-20');
  for (const state of ['incomplete', 'unpaid', 'paused'] as const) {
    expect(dates({ state, paid_through: null })).not.toContain('renews');
  }
  expect(dates({ ...OVERDUE, paid_through: null })).not.toContain('renews');
});

it('a plan is said to wait for its first payment, which its cancellation does not prevent', () => {
  const begun = { ...ACTIVE, processor: 'stripe', paid_through: null } as const;
  const { text } = subscriptionsPage(CONTEXT, { subscriptions: [begun] });
  expect(text).toContain('waiting for the first payment');
  expect(text).not.toContain('renews');
  expect(cancelPage(CONTEXT, begun).text).toContain('is still charged, then no other');
});

it('a cancelled plan that works until the end of its paid time is not said to have ended on that day', () => {
  const cancelled = { ...ACTIVE, state: 'cancelled', is_current: false } as const;
  const shown = (paid_through: string | null) =>
    subscriptionsPage(CONTEXT, { subscriptions: [{ ...cancelled, paid_through }] }).text;
  expect(shown(ACTIVE.paid_through)).toContain('paid until 2026-12-20');
  expect(shown(ACTIVE.paid_through)).not.toContain('ended');
  expect(shown(null)).toContain('ended 2026-12-20');
});

it('packages that cannot be read are not left out without a word', () => {
  const shown = (balance?: BalanceAnswer) => subscriptionsPage(CONTEXT, { balance }).text;
  expect(shown()).toContain('Packages cannot be read right now.');
  const balance = { spendable: 5, reserved: 0, grants: [] } as unknown as BalanceAnswer;
  expect(shown(balance)).toContain('5 credits to spend.');
  expect(shown(balance)).not.toContain('cannot be read');
});
