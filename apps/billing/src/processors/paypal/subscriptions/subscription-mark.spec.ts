import { describe, expect, it } from '@jest/globals';
import { CATALOGUE_VERSION, SUBSCRIPTION_PLANS } from '#libs/contracts';
import { newId } from '#libs/platform';
import { type SubscriptionMark, toCustomId, toSubscriptionMark } from './subscription-mark.js';

const LENGTH_MAX = 127;

describe('our mark on a subscription at PayPal', () => {
  const marks = SUBSCRIPTION_PLANS.map(({ sku, unitsMax }): SubscriptionMark => ({
    orderId: newId(),
    isEnding: true,
    isUndoing: true,
    until: new Date('2099-12-31T23:59:59Z'),
    anchor: new Date('2026-01-31T00:00:00Z'),
    running: { sku, quantity: unitsMax, catalogueVersion: CATALOGUE_VERSION, taxPpm: 999_999 },
    changeOrderId: '5O190127TN364715T',
    taxPpm: 999_999,
  }));

  it('fits into the field, however long the plan’s data is, and is read back unchanged', () => {
    for (const mark of marks) {
      const text = toCustomId(mark);
      expect([text, text.length <= LENGTH_MAX]).toEqual([text, true]);
      expect(toSubscriptionMark(text)).toEqual(mark);
    }
  });

  it.each(['', 'a note written by someone else', `${newId()},x,1,-,api:1:2026,-`])(
    '"%s" is not ours',
    (text) => {
      expect(toSubscriptionMark(text)).toBeUndefined();
    },
  );
});
