import { expect, it } from '@jest/globals';
import type { UnpaidChange } from '../processors/payment-processor.js';
import type { Subscription } from './subscription.entity.js';
import { NOTHING_UNPAID, unpaidAnswer, unpaidMembers } from './unpaid-change.js';

const UNTIL = new Date('2026-12-31T00:00:00Z');

const change = (quantity: number, isDeclined = false): UnpaidChange => {
  const plan = { sku: 'rate-limit-month', catalogueVersion: '1', taxPpm: 0, quantity };
  return { ...plan, dueMicros: 10_000n, pageUrl: '', until: UNTIL, isDeclined };
};
const after = (...changes: UnpaidChange[]) =>
  changes.reduce((row, one) => ({ ...row, ...unpaidMembers(row, one) }), {
    ...NOTHING_UNPAID,
  } as unknown as Subscription);

it('a change stays declined, but another quantity of the same plan is not declined with it', () => {
  expect(after(change(3, true), change(3)).unpaidBecause).toBe('declined');
  expect(after(change(3, true), change(5)).unpaidBecause).toBe('waiting');
});

it('a change is not shown once its payment page has expired, unless its payment is under review', () => {
  const before = new Date(UNTIL.getTime() - 1);
  const payable = after({ ...change(3), pageUrl: 'https://pay.example/1' });
  expect(unpaidAnswer(payable, before)).toMatchObject({ quantity: 3 });
  expect(unpaidAnswer(payable, UNTIL)).toBeNull();
  expect(unpaidAnswer(after(change(3)), UNTIL)).toMatchObject({ quantity: 3, pay_url: null });
});
