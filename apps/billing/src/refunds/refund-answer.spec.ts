import { expect, it } from '@jest/globals';
import type { StoredPaymentLine } from '../payment-records/payment-line.entity.js';
import type { Reversal } from '../payment-records/reversal.entity.js';
import { toRefundAnswer } from './refund-answer.js';

const PLAN = { subscriptionId: 'a subscription', isChange: false };
const CHANGE = { ...PLAN, isChange: true };
const PACKAGE = { subscriptionId: null, isChange: false };
const WHOLE = { amountMicros: 100n, scope: 'whole', state: 'final', startsAt: null };
const PART = { ...WHOLE, amountMicros: 40n };
const REST = { ...PART, scope: 'remaining' };

const line = (changes: object) =>
  ({
    amountMicros: 90n,
    taxMicros: 10n,
    credits: null,
    startsAt: null,
    ...changes,
  }) as StoredPaymentLine;

const effectOf = (amountMicros: bigint, given: readonly object[], paidFor: object) => {
  const reversals = given.map((one, place) => ({ id: `${place}`, ...one }) as Reversal);
  const payment = { isAnnounced: true, amountMicros };
  return toRefundAnswer(payment, reversals[0], reversals, [line(paidFor)]).plan;
};

it.each([
  ['stays', 'a part of its period is refunded', PLAN, [PART]],
  ['ends', 'the whole period is refunded', PLAN, [WHOLE]],
  ['ends', 'the rest of the period is refunded', PLAN, [REST]],
  ['ends', 'the last part of the money is refunded', PLAN, [{ ...WHOLE, amountMicros: 60n }, PART]],
  ['set_back', 'a change within the period is refunded', CHANGE, [WHOLE]],
  ['stays', 'a part of a change is refunded', CHANGE, [PART]],
  [undefined, 'the payment was for none', PACKAGE, [WHOLE]],
  [undefined, 'the refund failed', PLAN, [{ ...WHOLE, state: 'undone' }]],
])('a plan: %s if %s', (expected, _, paidFor, given) => {
  expect(effectOf(100n, given, paidFor)).toBe(expected);
});

it.each([
  ['ends', 40n, 'a coupon paid the rest'],
  ['stays', 41n, 'a coupon paid a part'],
  ['stays', 140n, 'an earlier bill was paid as well'],
])('a plan %s if 40 of the %d paid for it are refunded and %s', (expected, paid) => {
  expect(effectOf(paid, [PART], PLAN)).toBe(expected);
});
