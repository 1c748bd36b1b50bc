import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OrderAnswer, SubscriptionAnswer } from '#libs/contracts';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';

describe('a subscription that cannot be stored', () => {
  let billing: BillingUnderTest;
  beforeAll(async () => {
    billing = await BillingUnderTest.start();
  });
  afterAll(() => billing.stop());

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

  it('does not delay the cancellation of others, and is cancelled later', async () => {
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
});
