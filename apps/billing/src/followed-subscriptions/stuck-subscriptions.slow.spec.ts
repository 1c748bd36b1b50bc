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

  it('that its processor refuses to cancel is resumed at once by a restoration', async () => {
    const accountId = await left();
    const stripe = billing.get(PaymentProcessors).get('stripe');
    const cancel = jest.spyOn(stripe, 'cancel').mockResolvedValueOnce(REFUSED);
    await billing.follow();
    cancel.mockRestore();
    const resume = jest.spyOn(stripe, 'resume');
    await billing.deliver('restored', accountId);
    await billing.follow();
    expect(resume).toHaveBeenCalledTimes(1);
    resume.mockRestore();
  });

  it.each(['cannot be read', 'is late'])(
    'whose end %s is fetched again only after some minutes',
    async (end) => {
      const { id } = await subscriptionOf(await left());
      await billing.database.query('update subscriptions set cancel_at = $2 where id = $1', [
        id,
        billing.clock.now(),
      ]);
      const stripe = billing.get(PaymentProcessors).get('stripe');
      const [{ id: externalId }] = billing.simulator.world.all('subscription');
      const read = await stripe.fetch({ kind: 'subscription', id: externalId });
      const late = read.outcome === 'done' && { ...read.value, cancelAt: billing.clock.now() };
      const fetch = jest.spyOn(stripe, 'fetch');
      fetch.mockResolvedValue(
        end === 'is late' ? ({ outcome: 'done', value: late } as typeof read) : REFUSED,
      );
      const fetches = () => fetch.mock.calls.filter(([ref]) => ref.id === externalId).length;
      await followOften();
      expect(fetches()).toBe(1);
      billing.clock.advance(10 * MINUTE_MS);
      await followOften();
      expect(fetches()).toBe(2);
      fetch.mockRestore();
    },
  );
});
