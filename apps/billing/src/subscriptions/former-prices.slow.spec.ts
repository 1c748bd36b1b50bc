import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CATALOGUE_VERSION, FORMER_UNIT_MICROS, planOfSku } from '#libs/contracts';
import { DAY_MS, addMonths, newId } from '#libs/platform';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { BOTH } from '../../../../test/billing/sides/side-of.js';

const PLAN = planOfSku('api-15K-month')!;
const BOUGHT_FOR = PLAN.unitMicros;

describe('a plan whose price has risen since it was bought', () => {
  let billing: BillingUnderTest;

  beforeAll(async () => {
    billing = await BillingUnderTest.start();
  });
  afterAll(() => billing.stop());
  beforeEach(() => {
    FORMER_UNIT_MICROS[CATALOGUE_VERSION] = { [PLAN.sku]: BOUGHT_FOR };
  });
  afterEach(() => {
    for (const version of Object.keys(FORMER_UNIT_MICROS)) delete FORMER_UNIT_MICROS[version];
    PLAN.unitMicros = BOUGHT_FOR;
    expect(billing.logLines.splice(0)).toEqual([]);
  });

  it.each(BOTH)('is renewed at %s for the price at which it was bought', async (processor) => {
    const accountId = billing.newAccount();
    const start = billing.clock.now();
    const body = { product: 'subscription', sku: PLAN.sku, processor };
    await billing.act((await billing.call('POST', 'orders', { accountId, body })).body, 'pay');
    PLAN.unitMicros = BOUGHT_FOR + 3_000_000;
    await billing.pass(addMonths(start, 1).getTime() - start.getTime() + DAY_MS);
    const { body: listed } = await billing.call('GET', 'subscriptions', { accountId });
    expect(listed.subscriptions[0]).toMatchObject({
      state: 'active',
      amount_micros: '27000000',
      paid_through: addMonths(start, 2).toISOString(),
    });
    expect((await billing.call('GET', 'operator/set-aside', { caller: 'cli' })).body).toEqual([]);
  });

  it.each([
    ['another plan', PLAN.sku, { sku: 'api-50K-month' }],
    ['more units', 'rate-limit-month', { sku: 'rate-limit-month', quantity: 2 }],
  ])('has its former price again after the refund of an upgrade to %s', async (_, sku, wish) => {
    const accountId = billing.newAccount();
    for (const bought of new Set([PLAN.sku, sku])) {
      const body = { product: 'subscription', sku: bought, processor: 'stripe' };
      await billing.act((await billing.call('POST', 'orders', { accountId, body })).body, 'pay');
    }
    const former = `update payments set catalogue_version = 'former' where account_id = $1`;
    await billing.database.query(former, [accountId]);
    FORMER_UNIT_MICROS.former = { [sku]: 4_000_000 };
    const { body: listed } = await billing.call('GET', 'subscriptions', { accountId });
    const { id } = listed.subscriptions.find((one: { sku: string }) => one.sku === sku);
    await billing.call('POST', `subscriptions/${id}/change`, { accountId, body: wish });
    await billing.settle();
    const latest = 'select id from payments where account_id = $1 order by id desc limit 1';
    const [{ id: paymentId }] = await billing.database.query<{ id: string }>(latest, [accountId]);
    const refund = { refundId: newId(), paymentId, scope: 'whole', reason: 'asked for it' };
    await billing.call('POST', 'operator/refunds', { accountId, caller: 'cli', body: refund });
    await billing.follow();
    const [{ items }] = billing.simulator.world.all('subscription');
    expect(items.data[0]).toMatchObject({ quantity: 1, price: { unit_amount: 4_00 } });
  });
});
