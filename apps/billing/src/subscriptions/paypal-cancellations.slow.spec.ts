import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DAY_MS, HOUR_MS, addMonths } from '#libs/platform';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { PaypalPlan } from '../../../../test/billing/paypal-plan.js';

describe('cancellations of subscriptions through PayPal', () => {
  let billing: BillingUnderTest;
  let plan: PaypalPlan;
  let accountId: string;
  let start: Date;
  let end: Date;

  beforeAll(async () => {
    billing = await BillingUnderTest.start();
  });
  afterAll(() => billing.stop());
  afterEach(() => {
    expect(billing.logLines.splice(0)).toEqual([]);
  });
  beforeEach(async () => {
    plan = await PaypalPlan.buy(billing);
    ({ accountId, start, end } = plan);
  });

  it('a cancelled subscription is suspended, and can be resumed until its period ends', async () => {
    expect((await plan.ask('cancel')).body.subscription).toMatchObject({
      state: 'active',
      cancel_at: end.toISOString(),
    });
    expect(plan.atPaypal().status).toBe('SUSPENDED');
    expect((await plan.ask('undo')).body.subscription).toMatchObject({ cancel_at: null });
    expect(plan.atPaypal().status).toBe('ACTIVE');
    await plan.passTo(end);
    expect(await plan.row()).toMatchObject({ state: 'active', period_start: end.toISOString() });
  });

  it('a cancelled subscription ends at PayPal with its period, and another can be bought', async () => {
    await plan.ask('cancel');
    await plan.said();
    await plan.passTo(new Date(end.getTime() + HOUR_MS));
    await billing.follow();
    expect(plan.atPaypal().status).toBe('CANCELLED');
    expect(await plan.row()).toMatchObject({ state: 'cancelled', is_current: false });
    expect((await plan.said()).payments).toEqual([]);
    const body = { product: 'subscription', sku: 'api-5K-month', processor: 'paypal' };
    expect((await billing.call('POST', 'orders', { accountId, body })).status).toBe(201);
  });

  it.each(['api-5K-month', 'api-5K-year'])(
    'a subscription that is cancelled before an accepted change to %s ends as the plan that was paid',
    async (sku) => {
      const change = await plan.ask('change', { sku });
      await plan.agree(change.body.redirect_url);
      await plan.ask('cancel');
      await plan.passTo(new Date(end.getTime() + HOUR_MS));
      await billing.follow();
      expect(await plan.row()).toMatchObject({
        state: 'cancelled',
        sku: 'api-15K-month',
        period_end: end.toISOString(),
        pending_change: null,
      });
    },
  );

  it('a subscription cancelled while its renewal is overdue ends at once, and another can be bought', async () => {
    const { subscriptions } = billing.simulator.paypal;
    subscriptions.setFunds('declines');
    await plan.passTo(new Date(end.getTime() + HOUR_MS));
    subscriptions.setFunds('works');
    expect((await plan.ask('cancel')).body.subscription).toMatchObject({
      state: 'cancelled',
      cancel_at: null,
      paid_through: end.toISOString(),
      is_current: false,
    });
    expect(plan.atPaypal().status).toBe('CANCELLED');
    const body = { product: 'subscription', sku: 'api-5K-month', processor: 'paypal' };
    expect((await billing.call('POST', 'orders', { accountId, body })).status).toBe(201);
  });

  it('undoing a cancellation does not resume a subscription that the operator paused at PayPal', async () => {
    billing.simulator.paypal.subscriptions.suspend(plan.atPaypal().id);
    await billing.settle();
    expect(await plan.row()).toMatchObject({ state: 'paused' });
    expect((await plan.ask('undo')).status).toBe(422);
    expect(plan.atPaypal().status).toBe('SUSPENDED');
  });

  it('a subscription that the operator paused at PayPal ends when it is cancelled, so that PayPal cannot bill it again', async () => {
    billing.simulator.paypal.subscriptions.suspend(plan.atPaypal().id);
    await billing.settle();
    const ended = { state: 'cancelled', paid_through: end.toISOString(), is_current: false };
    expect((await plan.ask('cancel')).body.subscription).toMatchObject(ended);
    expect(plan.atPaypal().status).toBe('CANCELLED');
  });

  it('a subscription that PayPal suspended as unpaid ends with its account, and causes no further calls to PayPal', async () => {
    const { api, subscriptions } = billing.simulator.paypal;
    subscriptions.setFunds('declines');
    await plan.passTo(new Date(end.getTime() + HOUR_MS));
    for (let attempt = 0; attempt < 3; attempt += 1) await billing.pass(5 * DAY_MS);
    subscriptions.setFunds('works');
    expect(await plan.row()).toMatchObject({ state: 'unpaid' });
    await billing.deliver('deleted', accountId);
    await billing.follow();
    await billing.settle();
    const before = api.calls;
    await billing.follow();
    expect(api.calls).toBe(before);
    expect(await plan.row()).toMatchObject({ state: 'cancelled' });
  });

  it('a cancellation is undone at once, and an accepted downgrade keeps waiting', async () => {
    const lower = await plan.ask('change', { sku: 'api-5K-month' });
    await plan.agree(lower.body.redirect_url);
    await plan.ask('cancel');
    const undone = await plan.ask('undo');
    expect(undone.body).toMatchObject({
      subscription: { cancel_at: null, pending_change: { sku: 'api-5K-month' } },
      redirect_url: null,
    });
    expect(plan.atPaypal().status).toBe('ACTIVE');
    await plan.passTo(end);
    expect(await plan.row()).toMatchObject({ state: 'active', sku: 'api-5K-month' });
  });

  it('a cancellation can be undone even if PayPal bills the next period on the 1st instead of the 29th', async () => {
    plan.atPaypal().billing_info.next_billing_time = new Date(
      end.getTime() + 3 * DAY_MS,
    ).toISOString();
    await plan.ask('cancel');
    expect((await plan.ask('undo')).body.subscription).toMatchObject({ cancel_at: null });
    expect(plan.atPaypal().status).toBe('ACTIVE');
  });

  describe('if PayPal bills the next period early', () => {
    const hours = (after: number) => new Date(end.getTime() + after * HOUR_MS);

    beforeAll(() => {
      billing.simulator.paypal.subscriptions.earlyMs = 8 * HOUR_MS;
    });
    afterAll(() => {
      billing.simulator.paypal.subscriptions.earlyMs = 0;
    });

    it('a cancellation after the payment can be undone', async () => {
      await plan.passTo(hours(-2));
      await plan.ask('cancel');
      expect((await plan.ask('undo')).body.subscription).toMatchObject({ cancel_at: null });
      expect(plan.atPaypal().status).toBe('ACTIVE');
    });

    it('a cancellation after the payment ends the subscription with the paid period, and can be undone until then', async () => {
      const paidThrough = addMonths(start, 2).toISOString();
      await plan.passTo(hours(-2));
      expect((await plan.ask('cancel')).body.subscription).toMatchObject({
        period_end: end.toISOString(),
        cancel_at: paidThrough,
      });
      expect((await plan.ask('drop')).body.subscription).toMatchObject({ cancel_at: paidThrough });
      await plan.passTo(hours(2));
      await billing.follow();
      expect(await plan.row()).toMatchObject({ state: 'active', cancel_at: paidThrough });
      expect((await plan.ask('undo')).body.subscription).toMatchObject({
        state: 'active',
        period_end: paidThrough,
        cancel_at: null,
      });
      await plan.ask('cancel');
      await plan.passTo(addMonths(start, 2));
      await billing.follow();
      expect(await plan.row()).toMatchObject({ state: 'cancelled', paid_through: paidThrough });
      expect(plan.atPaypal().status).toBe('CANCELLED');
    });

    it('a subscription that is cancelled after the payment for a lower plan ends as that plan', async () => {
      await plan.agree((await plan.ask('change', { sku: 'api-5K-month' })).body.redirect_url);
      await plan.passTo(hours(-2));
      await plan.ask('cancel');
      await plan.passTo(hours(1));
      await billing.follow();
      const paidThrough = addMonths(start, 2).toISOString();
      const lower = { sku: 'api-5K-month', paid_through: paidThrough };
      expect(await plan.row()).toMatchObject({ ...lower, state: 'cancelled' });
      expect((await plan.said()).states.at(-1)).toMatchObject({
        limits: { live: 20 },
        paidThrough,
      });
    });

    it('a cancellation cannot be undone once PayPal has skipped the next period', async () => {
      await plan.ask('cancel');
      await plan.passTo(hours(-9));
      expect((await plan.ask('undo')).body.subscription).toMatchObject({ cancel_at: null });
      await plan.ask('cancel');
      await plan.passTo(hours(-2));
      expect((await plan.ask('undo')).status).toBe(422);
      expect(plan.atPaypal().status).toBe('SUSPENDED');
      expect(await plan.row()).toMatchObject({ cancel_at: end.toISOString() });
    });

    it.each([
      ['cancels again if PayPal has passed over the next period', -2, 'SUSPENDED'],
      ['completes the undo if PayPal has not billed the next period yet', -9, 'ACTIVE'],
    ])('after an interrupted undo, the next fetch %s', async (_, at, status) => {
      await plan.ask('cancel');
      await plan.passTo(hours(at));
      // Simulates a crash of billing after the activation.
      const { subscriptions } = billing.simulator.paypal;
      const { id: agreement, custom_id: mark = '' } = plan.atPaypal();
      subscriptions.patch(agreement, [
        { op: 'replace', path: '/custom_id', value: mark.replace(',e,', ',u,') },
      ]);
      subscriptions.activate(agreement);
      await billing.settle();
      expect(plan.atPaypal().status).toBe(status);
      const isUndone = status === 'ACTIVE';
      expect(await plan.row()).toMatchObject({ cancel_at: isUndone ? null : end.toISOString() });
      expect((await plan.ask('undo')).status).toBe(isUndone ? 200 : 422);
      await plan.passTo(hours(1));
      await billing.follow();
      expect(await plan.row()).toMatchObject({
        state: isUndone ? 'active' : 'cancelled',
        paid_through: addMonths(start, isUndone ? 2 : 1).toISOString(),
      });
    });
  });
});
