import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DAY_MS, HOUR_MS, addMonths } from '#libs/platform';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { PaypalPlan } from '../../../../test/billing/paypal-plan.js';
import { PaypalSide } from '../../../../test/billing/sides/paypal-side.js';

describe('renewals through PayPal that stay unpaid', () => {
  let billing: BillingUnderTest;
  let side: PaypalSide;
  let plan: PaypalPlan;

  beforeAll(async () => {
    billing = await BillingUnderTest.start();
    side = new PaypalSide(billing);
  });
  afterAll(() => billing.stop());
  afterEach(() => {
    expect(billing.logLines.splice(0)).toEqual([]);
  });
  beforeEach(async () => {
    plan = await PaypalPlan.buy(billing);
    billing.simulator.paypal.subscriptions.setFunds('declines');
    await plan.passTo(new Date(plan.end.getTime() + HOUR_MS));
  });

  it('a renewal is overdue from the first failed attempt on, although PayPal does not count it yet', async () => {
    expect(plan.atPaypal().billing_info.failed_payments_count).toBe(0);
    expect(await plan.row()).toMatchObject({
      state: 'past_due',
      paid_through: plan.end.toISOString(),
    });
  });

  it('a period that stays unpaid is not charged later, together with the next one', async () => {
    for (let attempt = 0; attempt < 2; attempt += 1) await billing.pass(5 * DAY_MS);
    expect(await plan.row()).toMatchObject({ state: 'unpaid', is_current: false });
    billing.simulator.paypal.subscriptions.setFunds('works');
    await plan.passTo(new Date(addMonths(plan.start, 2).getTime() + HOUR_MS));
    expect(await side.moneyOf(plan.accountId)).toEqual({ paid: 27_00, refunded: 0 });
    const { body } = await billing.call('GET', 'operator/set-aside', { caller: 'cli' });
    expect(body).toEqual([]);
  });
});
