import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { BillingUnderTest } from '../../../../../test/billing/billing-under-test.js';
import { StripeRefusal } from '../../../../simulators/src/payments/stripe/requests/stripe-refusal.js';
import { Schedules } from '../../../../simulators/src/payments/stripe/schedules.js';
import { StripeApi } from '../../../../simulators/src/payments/stripe/stripe-api.js';

type Made = Record<'createCustomer' | 'createPrice', (params: object) => object>;

const failing = () => {
  throw new StripeRefusal(500, 'api_error', undefined, 'Stripe has failed.');
};

// Stripe repeats its answer to an idempotency key, even an error, for a day.
describe('after Stripe has failed', () => {
  let billing: BillingUnderTest;
  beforeAll(async () => {
    billing = await BillingUnderTest.start();
  });
  afterAll(() => billing.stop());

  const order = (accountId: string, sku: string) =>
    billing.call('POST', 'orders', {
      accountId,
      body: { product: 'subscription', sku, processor: 'stripe' },
    });

  /** Buys a plan. @returns a function that requests changes to it. */
  const subscribed = async () => {
    const accountId = billing.newAccount();
    await billing.act((await order(accountId, 'api-15K-month')).body, 'pay');
    const { body: listed } = await billing.call('GET', 'subscriptions', { accountId });
    const path = `subscriptions/${listed.subscriptions[0].id}`;
    return (action: string, body: object = {}) =>
      billing.call('POST', `${path}/${action}`, { accountId, body });
  };

  /** Returns the idempotency keys of the calls to a path that contain a text. */
  const keysOf = (end: string, text = '') =>
    billing.simulator.stripe.requests
      .filter(({ method, path, body }) => {
        return method === 'POST' && path.endsWith(end) && body.includes(text);
      })
      .map(({ idempotencyKey }) => idempotencyKey);

  it('a plan with a waiting downgrade can be cancelled by another attempt, which has another key', async () => {
    const ask = await subscribed();
    expect((await ask('change', { sku: 'api-5K-month' })).status).toBe(200);
    jest.spyOn(Schedules.prototype, 'release').mockImplementationOnce(failing);
    expect((await ask('cancel')).status).toBe(503);
    const cancelled = { subscription: { cancel_at: expect.any(String), pending_change: null } };
    expect((await ask('cancel')).body).toMatchObject(cancelled);
    expect(new Set(keysOf('/release')).size).toBe(2);
  });

  it('a card that its plan gives up does not pay for a waiting downgrade either, after another attempt', async () => {
    const ask = await subscribed();
    await ask('change', { sku: 'api-5K-month' });
    jest.spyOn(Schedules.prototype, 'update').mockImplementationOnce(failing);
    expect((await ask('payment-details')).status).toBe(503);
    expect((await ask('payment-details')).status).toBe(200);
    const [{ phases }] = billing.simulator.world.all('subscription_schedule');
    expect(phases.map((phase) => phase.default_payment_method)).toEqual([null, null]);
  });

  it('the customer of an account’s first order can be created by another attempt, which has the order’s key', async () => {
    const api = StripeApi.prototype as unknown as Made;
    jest.spyOn(api, 'createCustomer').mockImplementationOnce(failing);
    const accountId = billing.newAccount();
    expect((await order(accountId, 'api-15K-month')).body).toMatchObject({ state: 'redirected' });
    expect(new Set(keysOf('/customers', accountId)).size).toBe(2);
  });

  it('a plan that nobody has bought before can be ordered by another attempt, even while another process creates its price', async () => {
    const sku = 'domainer-all-month';
    const api = StripeApi.prototype as unknown as Made;
    const { createPrice } = api;
    const made = jest.spyOn(api, 'createPrice').mockImplementationOnce(failing);
    expect((await order(billing.newAccount(), sku)).status).toBe(503);
    made.mockImplementationOnce(function (this: Made, params) {
      createPrice.call(this, params);
      throw StripeRefusal.invalid('resource_already_exists', 'The name is taken.');
    });
    expect((await order(billing.newAccount(), sku)).body).toMatchObject({ state: 'redirected' });
    expect(new Set(keysOf('/prices', sku)).size).toBe(2);
  });
});
