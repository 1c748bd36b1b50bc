import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CATALOGUE_VERSION, FORMER_UNIT_MICROS, planOfSku } from '#libs/contracts';
import { DAY_MS, addMonths } from '#libs/platform';
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
    delete FORMER_UNIT_MICROS[CATALOGUE_VERSION];
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
});
