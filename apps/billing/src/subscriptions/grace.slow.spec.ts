import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type SubscriptionChanged, planOfSku, rightsOf } from '#libs/contracts';
import { DAY_MS, HOUR_MS, SECOND_MS, addMonths } from '#libs/platform';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { BOTH, type ProcessorSide, sideOf } from '../../../../test/billing/sides/side-of.js';

const PACKAGE = { tier: '5K', granted: '5000', remaining: '1', boughtAt: '2026-03-02T09:00:00Z' };
const ids = {
  grantId: '019a0000-0000-7000-8000-000000000001',
  lineId: '019a0000-0000-7000-8000-000000000002',
};

describe.each(BOTH)('rights while a payment at %s is overdue', (processor) => {
  let billing: BillingUnderTest;
  let side: ProcessorSide;
  let accountId: string;
  let start: Date;

  beforeAll(async () => {
    billing = await BillingUnderTest.start();
    side = sideOf(billing, processor);
  });
  afterAll(() => billing.stop());
  beforeEach(() => {
    accountId = billing.newAccount();
    start = billing.clock.now();
    billing.holdings.set(accountId, { packages: [{ ...ids, ...PACKAGE }] });
  });
  afterEach(async () => {
    expect(await billing.violations()).toEqual([]);
    expect(billing.logLines.splice(0)).toEqual([]);
  });

  async function subscribe(sku: string): Promise<string> {
    const body = { product: 'subscription', sku, processor };
    const { body: order } = await billing.call('POST', 'orders', { accountId, body });
    await billing.act(order, 'pay');
    const { body: listed } = await billing.call('GET', 'subscriptions', { accountId });
    return listed.subscriptions[0].id;
  }

  async function change(id: string, wish: object): Promise<void> {
    const answer = await billing.call('POST', `subscriptions/${id}/change`, {
      accountId,
      body: wish,
    });
    expect(answer).toMatchObject({ status: 200 });
    if (answer.body.redirect_url) await side.agree(answer.body.redirect_url);
    await billing.settle();
  }

  const passTo = (time: Date) => billing.pass(time.getTime() - billing.clock.now().getTime());
  const before = (ms: number) => new Date(addMonths(start, 1).getTime() - ms);

  async function failRenewal(): Promise<SubscriptionChanged> {
    await side.setFunds(accountId, 'declines');
    await passTo(new Date(addMonths(start, 1).getTime() + HOUR_MS));
    const events = await billing.events(accountId);
    const states = events.filter(({ type }) => type === 'billing.subscription-changed');
    const last = states.at(-1)?.data as unknown as SubscriptionChanged;
    expect(last.state).toBe('past_due');
    await side.setFunds(accountId, 'works');
    return last;
  }

  const rights = (sku: string, quantity = 1) => rightsOf(planOfSku(sku)!, quantity);

  it('an unpaid scheduled change to the largest plan keeps the rights of the earlier plan', async () => {
    const id = await subscribe('api-5K-month');
    await change(id, { sku: 'api-1M-year' });
    expect(await failRenewal()).toMatchObject({ sku: 'api-5K-month', ...rights('api-5K-month') });
  });

  it('an upgrade that was paid for half of the period grants its rights during the grace period', async () => {
    const id = await subscribe('api-5K-month');
    await passTo(before(15 * DAY_MS));
    await change(id, { sku: 'api-15K-month' });
    expect(await failRenewal()).toMatchObject(rights('api-15K-month'));
  });

  it('an upgrade two days before the end of the period does not give its higher rights during the week of grace', async () => {
    const id = await subscribe('api-5K-month');
    await passTo(before(2 * DAY_MS));
    await change(id, { sku: 'api-150K-month' });
    expect(await failRenewal()).toMatchObject(rights('api-5K-month'));
  });

  it('an overdue plan that is cancelled ends at once and is not charged again', async () => {
    const id = await subscribe('api-5K-month');
    await failRenewal();
    const { body } = await billing.call('POST', `subscriptions/${id}/cancel`, { accountId });
    expect(body.subscription).toMatchObject({ state: 'cancelled', is_current: false });
    await billing.pass(12 * DAY_MS);
    expect(await side.moneyOf(accountId)).toEqual({ paid: 10_00, refunded: 0 });
  });

  if (processor === 'stripe') {
    it('an upgrade two seconds before the end of the period does not give its higher rights, not even from one unit to 20', async () => {
      const id = await subscribe('api-5K-month');
      const addOn = await subscribe('rate-limit-month');
      await passTo(before(2 * SECOND_MS));
      await change(id, { sku: 'api-150K-month' });
      await change(addOn, { sku: 'rate-limit-month', quantity: 20 });
      await failRenewal();
      const { body } = await billing.call('GET', 'operator/set-aside', { caller: 'cli' });
      expect(body).toEqual([]);
      const events = await billing.events(accountId);
      const last = (line: string) =>
        events.findLast(
          ({ type, data }) => type === 'billing.subscription-changed' && data.line === line,
        )?.data;
      expect(last('api')).toMatchObject({ state: 'past_due', ...rights('api-5K-month') });
      expect(last('rate_limit')).toMatchObject({
        state: 'past_due',
        ...rights('rate-limit-month'),
      });
    });
  }
});
