import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { PaymentConfirmed, SubscriptionChanged } from '#libs/contracts';
import { DAY_MS, addMonths, newId } from '#libs/platform';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { SubscriptionsRepository } from './subscriptions.repository.js';

const PACKAGE = {
  grantId: newId(),
  lineId: newId(),
  tier: '5K',
  granted: '5000',
  remaining: '1',
  boughtAt: '2026-03-02T09:00:00Z',
};

describe('subscriptions', () => {
  let billing: BillingUnderTest;
  let accountId: string;

  beforeAll(async () => {
    billing = await BillingUnderTest.start();
  });
  afterAll(() => billing.stop());
  beforeEach(() => {
    accountId = billing.newAccount();
  });
  afterEach(() => {
    expect(billing.logLines.splice(0)).toEqual([]);
  });

  const order = (sku: string, extra: object = {}) =>
    billing.call('POST', 'orders', {
      accountId,
      body: { product: 'subscription', sku, processor: 'stripe', ...extra },
    });

  async function subscribe(sku = 'api-15K-month', extra: object = {}) {
    const { body } = await order(sku, extra);
    await billing.act(body, 'pay');
    return body;
  }

  async function said(): Promise<{ payments: PaymentConfirmed[]; states: SubscriptionChanged[] }> {
    const events = await billing.events(accountId);
    const fresh = events.slice(seen);
    seen = events.length;
    const of = (type: string) =>
      fresh.filter((event) => event.type === type).map(({ data }) => data);
    return {
      payments: of('billing.payment-confirmed') as unknown as PaymentConfirmed[],
      states: of('billing.subscription-changed') as unknown as SubscriptionChanged[],
    };
  }
  let seen = 0;
  beforeEach(() => {
    seen = 0;
  });

  const passTo = (time: Date) => billing.pass(time.getTime() - billing.clock.now().getTime());

  it('a renewal takes two calls to the processor, and repeated callbacks about its paid bill take none', async () => {
    await subscribe();
    const { stripe, world } = billing.simulator;
    const before = stripe.calls;
    await passTo(addMonths(billing.clock.now(), 1));
    expect((await said()).payments).toHaveLength(2);
    expect(stripe.calls - before).toBe(2);
    world.emit('v1.invoice.paid', world.all('invoice')[0]);
    await billing.settle();
    expect(stripe.calls - before).toBe(2);
  });

  it('a paid checkout starts a subscription whose first period is paid', async () => {
    const start = billing.clock.now();
    const end = addMonths(start, 1);
    const bought = await subscribe();
    expect(await billing.stateOf(accountId, bought)).toBe('paid');
    const { payments, states } = await said();
    expect(payments).toEqual([
      expect.objectContaining({
        orderId: bought.id,
        amountMicros: '27000000',
        lines: [
          expect.objectContaining({
            kind: 'subscription',
            sku: 'api-15K-month',
            amountMicros: '27000000',
            interval: 'month',
            periodStart: start.toISOString(),
            periodEnd: end.toISOString(),
            from: start.toISOString(),
            monthlyCredits: '15000',
          }),
        ],
      }),
    ]);
    expect(states.at(-1)).toMatchObject({
      line: 'api',
      state: 'active',
      sku: 'api-15K-month',
      paidThrough: end.toISOString(),
      limits: { live: 40, bulk: 10, heavy: 5 },
    });
  });

  it('a renewal is a payment without an order, and extends the paid period', async () => {
    const start = billing.clock.now();
    await subscribe();
    await said();
    await passTo(addMonths(start, 1));
    const { payments, states } = await said();
    expect(payments).toHaveLength(1);
    expect(payments[0]).not.toHaveProperty('orderId');
    expect(payments[0].lines[0]).toMatchObject({
      periodStart: addMonths(start, 1).toISOString(),
      periodEnd: addMonths(start, 2).toISOString(),
    });
    expect(states.at(-1)).toMatchObject({ paidThrough: addMonths(start, 2).toISOString() });
  });

  it('a subscription whose renewal failed is past due, keeps its paid period, and recovers with a working card', async () => {
    const start = billing.clock.now();
    await subscribe();
    const [{ customer }] = billing.simulator.world.all('subscription');
    billing.simulator.invoices.setCard(customer as string, 'declines');
    await said();
    await passTo(addMonths(start, 1));
    const failed = await said();
    expect(failed.payments).toEqual([]);
    const paidThrough = addMonths(start, 1).toISOString();
    expect(failed.states.at(-1)).toMatchObject({ state: 'past_due', paidThrough });
    billing.simulator.invoices.setCard(customer as string, 'works');
    await billing.pass(3 * DAY_MS);
    const mended = await said();
    expect(mended.payments).toHaveLength(1);
    expect(mended.states.at(-1)).toMatchObject({
      state: 'active',
      paidThrough: addMonths(start, 2).toISOString(),
    });
  });

  it('a subscription that is not paid again becomes unpaid and is no longer current', async () => {
    const start = billing.clock.now();
    await subscribe();
    const [{ customer }] = billing.simulator.world.all('subscription');
    billing.simulator.invoices.setCard(customer as string, 'declines');
    await passTo(addMonths(start, 1));
    await billing.pass(8 * DAY_MS);
    expect((await said()).states.at(-1)).toMatchObject({ state: 'unpaid' });
    billing.simulator.invoices.setCard(customer as string, 'works');
    expect((await order('api-50K-month')).status).toBe(201);
  });

  it('a second subscription of a line is rejected while the first is current', async () => {
    await subscribe('api-5K-month');
    expect(await order('api-50K-year')).toMatchObject({
      status: 409,
      body: { code: 'subscription_exists' },
    });
    expect((await order('rate-limit-month')).status).toBe(201);
  });

  it.each([
    ['names', ['names']],
    ['whois', ['names', 'whois']],
    ['cleaned-whois', ['names', 'cleaned-whois']],
    ['dns', ['names', 'dns']],
    ['all', ['names', 'whois', 'cleaned-whois', 'dns']],
  ])(
    'the Domainer %s plan can be ordered in addition to an API plan, and gives access to %j',
    async (name, datasets) => {
      await subscribe('api-5K-month');
      await said();
      await subscribe(`domainer-${name}-month`);
      const { states } = await said();
      expect(states.at(-1)).toMatchObject({ line: 'domainer', state: 'active', datasets });
    },
  );

  it('the add-on needs a plan or package, and is sold in 1 to 20 units', async () => {
    expect(await order('rate-limit-month')).toMatchObject({
      status: 409,
      body: { code: 'base_missing' },
    });
    billing.holdings.set(accountId, { packages: [PACKAGE] });
    expect((await order('rate-limit-month')).status).toBe(201);
    billing.holdings.set(accountId, {});
    await subscribe('api-5K-month');
    for (const quantity of [0, -1, 21, 1.5]) {
      expect([quantity, (await order('rate-limit-month', { quantity })).status]).toEqual([
        quantity,
        400,
      ]);
    }
    await said();
    await subscribe('rate-limit-month', { quantity: 3 });
    const { payments, states } = await said();
    expect(payments[0]).toMatchObject({
      amountMicros: '60000000',
      lines: [{ kind: 'rate_limit' }],
    });
    expect(states.at(-1)).toMatchObject({
      quantity: 3,
      limits: { live: 150, bulk: 36, heavy: 18 },
    });
  });

  it('a plan change may be idle in its transaction for five minutes, because it waits for several calls', async () => {
    const limit = await billing.database.transaction(async (transaction) => {
      await billing.get(SubscriptionsRepository).tryLock(transaction, accountId, newId());
      return transaction.query('show idle_in_transaction_session_timeout');
    });
    expect(limit).toEqual([{ idle_in_transaction_session_timeout: '5min' }]);
  });

  it('S50: a plan that is not sold cannot be bought as a subscription', async () => {
    for (const sku of [
      'api-15K',
      'package-15000',
      '__proto__',
      'constructor',
      '',
      'api-15K-week',
    ]) {
      expect([sku, (await order(sku)).status]).toEqual([sku, 400]);
    }
    expect((await order('api-15K-month', { quantity: 2 })).status).toBe(400);
  });
});
