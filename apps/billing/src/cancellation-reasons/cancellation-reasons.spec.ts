import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TimelineEntry } from '#libs/contracts';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { ForgetReasonsJob } from './forget-reasons.job.js';

const REASON = 'Our project has ended';

describe('the reason for a cancellation', () => {
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
    return entries
      .map(({ text }) => text)
      .filter((text) => text.startsWith('the customer’s reason'));
  };

  it('is optional: without it nothing is stored', async () => {
    expect((await ask('cancel')).status).toBe(200);
    expect(await told()).toEqual([]);
    await ask('undo');
  });

  it('appears in the operators’ timeline if it is one line of at most 500 characters', async () => {
    for (const reason of ['', 'x'.repeat(501), 'two\nlines', 7]) {
      expect((await ask('cancel', { reason })).body.code).toBe('invalid_request');
    }
    expect((await ask('cancel', { reason: REASON })).body.subscription.cancel_at).not.toBeNull();
    expect(await told()).toEqual([`the customer’s reason for cancelling: ${REASON}`]);
  });

  it('S119: a reason for a cancellation is encrypted in the database, and included in the export to its owner', async () => {
    const [row] = await billing.database.query<{ text: string }>(
      'select (cancellation_reasons.*)::text as text from cancellation_reasons',
    );
    expect(row.text).not.toContain(Buffer.from(REASON).toString('hex'));
    const asked = { accountId, caller: 'dashboard' } as const;
    const { body } = await billing.call('GET', 'export', asked);
    expect(JSON.stringify(body)).toContain(REASON);
  });

  it('is replaced by a later reason for the same subscription', async () => {
    await ask('undo');
    expect((await ask('cancel', { reason: 'Too dear' })).status).toBe(200);
    expect(await told()).toEqual(['the customer’s reason for cancelling: Too dear']);
  });

  it('is kept even if the processor’s answer to the cancellation is lost', async () => {
    await ask('undo');
    billing.simulator.apiFaults.lostAnswers = Infinity;
    expect((await ask('cancel', { reason: REASON })).status).toBe(503);
    billing.simulator.apiFaults.lostAnswers = 0;
    expect(await told()).toEqual([`the customer’s reason for cancelling: ${REASON}`]);
  });

  it('is deleted after 90 days', async () => {
    const grow = (days: number) =>
      billing.database.query('update cancellation_reasons set said_at = said_at - $1::interval', [
        `${days} days`,
      ]);
    const forget = billing.get(ForgetReasonsJob);
    await grow(89);
    await forget.runOnce();
    expect(await told()).toHaveLength(1);
    await grow(1);
    billing.clock.advance(1);
    await forget.runOnce();
    expect(await told()).toEqual([]);
    await ask('undo');
    await ask('cancel', { reason: REASON });
    expect(await told()).toHaveLength(1);
  });

  it('is deleted when the account is erased', async () => {
    await billing.deliver('deleted', accountId);
    await billing.deliver('erased', accountId);
    expect(await told()).toEqual([]);
  });
});
