import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TimelineEntry } from '#libs/contracts';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';

const REASON = 'Our project has ended';

describe('why a customer cancels', () => {
  let billing: BillingUnderTest;
  let accountId: string;
  let id: string;

  beforeAll(async () => {
    billing = await BillingUnderTest.start();
    accountId = billing.newAccount();
    const body = { product: 'subscription', sku: 'api-15K-month', processor: 'stripe' };
    await billing.act((await billing.call('POST', 'orders', { accountId, body })).body, 'pay');
    ({ id } = (await billing.call('GET', 'subscriptions', { accountId })).body.subscriptions[0]);
  });
  afterAll(() => billing.stop());

  const ask = async (action: string, body: object = {}) => {
    const answer = await billing.call('POST', `subscriptions/${id}/${action}`, { accountId, body });
    await billing.settle();
    return answer;
  };
  const told = async () => {
    const asked = { accountId, caller: 'cli' } as const;
    const { body } = await billing.call('GET', 'operator/timeline?limit=100', asked);
    const entries = body as TimelineEntry[];
    return entries.map(({ text }) => text).filter((text) => text.startsWith('cancelled by'));
  };

  it('is not asked for: without it nothing is noted', async () => {
    expect((await ask('cancel')).status).toBe(200);
    expect(await told()).toEqual([]);
    await ask('undo');
  });

  it('stands in the timeline that operators read, once it is cancelled', async () => {
    for (const reason of ['', 'x'.repeat(501), 'two\nlines', 7]) {
      expect((await ask('cancel', { reason })).body.code).toBe('invalid_request');
    }
    expect((await ask('cancel', { reason: REASON })).body.subscription.cancel_at).not.toBeNull();
    expect(await told()).toEqual([`cancelled by its customer: ${REASON}`]);
  });

  it('is gone when the account is erased', async () => {
    await billing.deliver('deleted', accountId);
    await billing.deliver('erased', accountId);
    expect(await told()).toEqual([]);
  });
});
