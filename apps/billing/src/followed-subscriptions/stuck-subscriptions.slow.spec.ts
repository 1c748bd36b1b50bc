import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { OrderAnswer, SubscriptionAnswer } from '#libs/contracts';
import { MINUTE_MS } from '#libs/platform';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { PaymentProcessors } from '../processors/payment-processors.js';

const REFUSED = {
  outcome: 'refused',
  code: 'resource_missing',
  message: 'No such subscription.',
} as const;

describe('a subscription', () => {
  let billing: BillingUnderTest;
  beforeAll(async () => {
    billing = await BillingUnderTest.start();
  });
  afterAll(() => billing.stop());
  afterEach(() => {
    billing.takeErrors();
  });

  const followOften = async () => {
    for (let round = 0; round < 3; round += 1) await billing.follow();
  };

  async function subscriptionOf(accountId: string): Promise<SubscriptionAnswer> {
    const { body } = await billing.call('GET', 'subscriptions', { accountId });
    return body.subscriptions[0] as SubscriptionAnswer;
  }

  async function left(): Promise<string> {
    const accountId = billing.newAccount();
    const body = { product: 'subscription', sku: 'api-15K-month', processor: 'stripe' };
    const ordered = await billing.call('POST', 'orders', { accountId, body });
    await billing.act(ordered.body as OrderAnswer, 'pay');
    await billing.deliver('deleted', accountId);
    return accountId;
  }

  it('that cannot be stored does not delay the cancellation of others, and is cancelled later', async () => {
    const [first, second] = [await left(), await left()];
    const { id } = await subscriptionOf(first);
    await billing.whileStuck('subscriptions', id, () => billing.follow());
    const cancelled = { cancel_at: expect.any(String) };
    expect(await subscriptionOf(second)).toMatchObject(cancelled);
    expect(await subscriptionOf(first)).toMatchObject({ cancel_at: null });
    expect(billing.logLines.splice(0).length).toBeGreaterThan(0);
    await billing.follow();
    expect(await subscriptionOf(first)).toMatchObject(cancelled);
  });

  it('that its processor refuses to cancel is tried again only after some minutes', async () => {
    const accountId = await left();
    const cancel = jest.spyOn(billing.get(PaymentProcessors).get('stripe'), 'cancel');
    cancel.mockResolvedValueOnce(REFUSED);
    await followOften();
    expect(cancel).toHaveBeenCalledTimes(1);
    cancel.mockRestore();
    expect(await subscriptionOf(accountId)).toMatchObject({ cancel_at: null });
    billing.clock.advance(10 * MINUTE_MS);
    await billing.follow();
    expect(await subscriptionOf(accountId)).toMatchObject({ cancel_at: expect.any(String) });
  });

  it('whose end cannot be read is read again only after some minutes', async () => {
    const { id } = await subscriptionOf(await left());
    await billing.database.query('update subscriptions set cancel_at = $2 where id = $1', [
      id,
      billing.clock.now(),
    ]);
    const fetch = jest.spyOn(billing.get(PaymentProcessors).get('stripe'), 'fetch');
    fetch.mockResolvedValue(REFUSED);
    await followOften();
    expect(fetch).toHaveBeenCalledTimes(1);
    billing.clock.advance(10 * MINUTE_MS);
    await followOften();
    expect(fetch).toHaveBeenCalledTimes(2);
    fetch.mockRestore();
  });
});
