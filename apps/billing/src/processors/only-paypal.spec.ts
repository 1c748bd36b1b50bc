import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';

let billing: BillingUnderTest;

beforeAll(async () => {
  billing = await BillingUnderTest.start({ stripeApiKey: undefined, stripeCallbackSecrets: [] });
});
afterAll(() => billing.stop());

it('without Stripe, billing offers and accepts only PayPal', async () => {
  const accountId = billing.newAccount();
  const { body: offered } = await billing.call('GET', 'processors');
  expect(offered.processors.map(({ name }: { name: string }) => name)).toEqual(['paypal']);
  const wish = { product: 'package', credits: 15_000 };
  const refused = await billing.call('POST', 'orders', {
    accountId,
    body: { ...wish, processor: 'stripe' },
  });
  expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  const callback = { body: Buffer.from('{}'), headers: { 'stripe-signature': 't=1,v1=0' } };
  expect((await billing.call('POST', 'callbacks/stripe', callback)).status).toBe(404);
  const order = await billing.order(accountId, 15_000, 'paypal');
  await billing.act(order, 'pay');
  expect(await billing.stateOf(accountId, order)).toBe('paid');
  expect(billing.logLines).toEqual([]);
});
