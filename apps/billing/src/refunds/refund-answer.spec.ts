import { expect, it } from '@jest/globals';
import type { Reversal } from '../payment-records/reversal.entity.js';
import type { SubscriptionPayment } from '../payments/subscription-payment.js';
import { toRefundAnswer } from './refund-answer.js';

const [MARCH, APRIL, MAY] = [3, 4, 5].map((month) => new Date(`2026-0${month}-01T00:00:00Z`));
const WHOLE = { amountMicros: 100n, scope: 'whole', state: 'final', startsAt: null };
const PART = { ...WHOLE, amountMicros: 40n };
const REST = { ...PART, scope: 'remaining', startsAt: new Date('2026-03-20T00:00:00Z') };

const period = (paymentId: string, changes: Partial<SubscriptionPayment>): SubscriptionPayment => ({
  paymentId,
  kind: 'subscription',
  sku: 'api-5K-month',
  quantity: 1,
  isChange: false,
  startsAt: MARCH,
  periodStart: MARCH,
  periodEnd: APRIL,
  paidMicros: '100',
  wholeMicros: '0',
  restMicros: '0',
  keptUntil: null,
  ...changes,
});
const base = (paymentId: string, changes = {}) => [period(paymentId, changes)];
const upgrade = (paymentId: string, sku: string) => base(paymentId, { sku, isChange: true });
const NEXT = base('another', { startsAt: APRIL, periodStart: APRIL, periodEnd: MAY });
const OF = 'the refunded payment';
const PLAN = base(OF);
const CHANGE = [...base('another'), ...upgrade(OF, 'api-15K-month')];

const effectOf = (given: readonly object[], stretches: readonly SubscriptionPayment[]) => {
  const reversals = given.map(
    (one, place) => ({ id: `${place}`, paymentId: OF, ...one }) as Reversal,
  );
  const payment = { isAnnounced: true };
  return toRefundAnswer(payment, reversals[0], reversals, { lines: [], stretches }).plan;
};

it.each([
  ['stays', 'a part of its period is refunded', PLAN, [PART]],
  ['ends', 'the whole period is refunded', PLAN, [WHOLE]],
  ['ends', 'the rest of the period is refunded', PLAN, [REST]],
  ['ends', 'the last part of the money is refunded', PLAN, [{ ...WHOLE, amountMicros: 60n }, PART]],
  ['stays', 'an earlier period is refunded', [...PLAN, ...NEXT], [WHOLE]],
  ['stays', 'the rest of an earlier period is refunded', [...PLAN, ...NEXT], [REST]],
  ['set_back', 'a change within the period is refunded', CHANGE, [WHOLE]],
  ['stays', 'a part of a change is refunded', CHANGE, [PART]],
  ['stays', 'a change in an earlier period is refunded', [...CHANGE, ...NEXT], [WHOLE]],
  [
    'stays',
    'a change is refunded after a higher one',
    [...CHANGE, ...upgrade('another', 'api-50K-month')],
    [WHOLE],
  ],
  [undefined, 'the payment was for none', [], [WHOLE]],
  [undefined, 'the refund failed', PLAN, [{ ...WHOLE, state: 'undone' }]],
  ['ends', 'a coupon paid what was not refunded', base(OF, { paidMicros: '40' }), [PART]],
  ['stays', 'a coupon paid a part of that', base(OF, { paidMicros: '41' }), [PART]],
] as const)('a plan: %s if %s', (expected, _, stretches, given) => {
  expect(effectOf(given, stretches)).toBe(expected);
});
