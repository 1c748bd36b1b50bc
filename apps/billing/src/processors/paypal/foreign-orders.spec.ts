import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { BillingUnderTest } from '../../../../../test/billing/billing-under-test.js';

let billing: BillingUnderTest;

beforeAll(async () => {
  billing = await BillingUnderTest.start();
});
afterAll(() => billing.stop());

it('the money of an approved order that another shop created with the same PayPal app is not taken', async () => {
  const { orders } = billing.simulator.paypal;
  const page = { return_url: 'https://shop.example', cancel_url: 'https://shop.example' };
  const foreign = orders.create({
    purchase_units: [
      {
        reference_id: 'default',
        amount: { currency_code: 'USD', value: '13.00' },
        custom_id: '4711',
      },
    ],
    payment_source: { paypal: { experience_context: page } },
  } as unknown as Parameters<typeof orders.create>[0]);
  orders.approve(foreign.id, 'pays');
  await billing.settle();
  expect(orders.get(foreign.id).status).toBe('APPROVED');
});
