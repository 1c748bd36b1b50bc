import { expect, it } from '@jest/globals';
import type { SubscriptionPayment } from '../payments/subscription-payment.js';
import { paidTimeOf } from './paid-time.js';

const payment = (sku: string, changes: Partial<SubscriptionPayment> = {}): SubscriptionPayment => ({
  paymentId: 'a payment',
  kind: 'subscription_upgrade',
  sku,
  quantity: 1,
  isChange: true,
  startsAt: new Date('2026-03-01T00:00:00Z'),
  periodStart: new Date('2026-03-01T00:00:00Z'),
  periodEnd: new Date('2026-04-01T00:00:00Z'),
  paidMicros: '10000000',
  wholeMicros: '0',
  restMicros: '0',
  keptUntil: null,
  ...changes,
});
const base = payment('api-5K-month', { kind: 'subscription', isChange: false });
const back = { wholeMicros: '10000000' };

it.each([
  ['nothing', {}, {}, 'api-50K-month'],
  ['the second', {}, back, 'api-15K-month'],
  ['the first', back, {}, 'api-50K-month'],
  ['both', back, back, 'api-5K-month'],
])(
  'if %s of two simultaneous upgrades is reversed, the other plan counts, whichever arrived first',
  (_, first, second, expected) => {
    const upgrades = [payment('api-15K-month', first), payment('api-50K-month', second)];
    for (const order of [upgrades, upgrades.toReversed()]) {
      expect(paidTimeOf([base, ...order]).plan).toEqual({ sku: expected, quantity: 1 });
    }
  },
);
