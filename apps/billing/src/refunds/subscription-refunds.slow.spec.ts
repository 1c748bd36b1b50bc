import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { SubscriptionChanged } from '#libs/contracts';
import { DAY_MS, HOUR_MS, addMonths, newId } from '#libs/platform';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { BOTH, type ProcessorSide, sideOf } from '../../../../test/billing/sides/side-of.js';

describe.each(BOTH)('refunds and disputes at %s', (processor) => {
  let billing: BillingUnderTest;
  let side: ProcessorSide;
  let accountId: string;

  beforeAll(async () => {
    billing = await BillingUnderTest.start();
    side = sideOf(billing, processor);
  });
  afterAll(() => billing.stop());
  beforeEach(() => {
    accountId = billing.newAccount();
  });
  afterEach(() => {
    expect(billing.logLines.splice(0)).toEqual([]);
  });

  async function payments() {
    const answer = await billing.call('GET', 'operator/payments', { accountId, caller: 'cli' });
    return answer.body.payments as { paymentId: string; externalId: string }[];
  }

  async function refund(wish: object) {
    const [{ paymentId }] = await payments();
    const whole = { refundId: newId(), paymentId, scope: 'whole', reason: 'asked for it' };
    const body = { ...whole, ...wish };
    const call = { accountId, caller: 'cli', body } as const;
    const answer = await billing.call('POST', 'operator/refunds', call);
    await billing.settle();
    return answer;
  }

  async function subscribe() {
    const body = { product: 'subscription', sku: 'api-15K-month', processor };
    const ordered = await billing.call('POST', 'orders', { accountId, body });
    await billing.act(ordered.body, 'pay');
    return subscription();
  }
  async function change(id: string, sku = 'api-50K-month'): Promise<void> {
    const body = { sku };
    const { body: answer } = await billing.call('POST', `subscriptions/${id}/change`, {
      accountId,
      body,
    });
    if (answer.redirect_url) await side.agree(answer.redirect_url as string);
    await billing.settle();
  }
  async function subscription() {
    const { body } = await billing.call('GET', 'subscriptions', { accountId });
    return body.subscriptions[0] as {
      id: string;
      state: string;
      sku: string;
      pending_change: object | null;
      paid_through: string | null;
    };
  }
  async function lastState(): Promise<SubscriptionChanged> {
    const events = await billing.events(accountId);
    const changed = events.filter(({ type }) => type === 'billing.subscription-changed');
    return changed.at(-1)?.data as unknown as SubscriptionChanged;
  }

  describe('a subscription', () => {
    const end = () => addMonths(billing.clock.now(), 1).toISOString();

    it('is refunded once if the request is repeated, even after the end of its period', async () => {
      await subscribe();
      const wish = { refundId: newId(), scope: 'remaining' };
      expect((await refund(wish)).body).toMatchObject({ scope: 'remaining', plan: 'ends' });
      const [{ paymentId }] = await payments();
      await billing.pass(32 * DAY_MS);
      const call = {
        accountId,
        caller: 'cli',
        body: { paymentId, reason: 'asked for it', ...wish },
      } as const;
      expect(await billing.call('POST', 'operator/refunds', call)).toMatchObject({
        status: 200,
        body: { refundId: wish.refundId, state: 'final' },
      });
    });

    it('ends when the rest of its period is refunded, in proportion to the time left', async () => {
      const [start, until] = [billing.clock.now(), end()];
      await subscribe();
      const length = Date.parse(until) - start.getTime();
      await billing.pass(length / 2);
      const from = billing.clock.now().toISOString();
      expect((await refund({ scope: 'remaining' })).body).toMatchObject({
        scope: 'remaining',
        plan: 'ends',
        from,
        amountMicros: '13500000',
      });
      const announced = (await billing.events(accountId)).filter(({ type }) =>
        /payment-reversed|undone$/.test(type),
      );
      const lines = [{ scope: 'remaining', refundedMicros: '13500000' }];
      expect(announced.map(({ data }) => data)).toMatchObject([
        { cause: 'refund', phase: 'requested', lines },
        { cause: 'refund', phase: 'final', lines },
      ]);
      await billing.follow();
      expect(await lastState()).toMatchObject({ state: 'cancelled', paidThrough: from });
      expect(side.hasEndedLatest()).toBe(true);
    });

    it('is refunded for the rest of its period once, however often this is requested; a request for an earlier start adds the time in between', async () => {
      const [start, until] = [billing.clock.now().getTime(), Date.parse(end())];
      await subscribe();
      await billing.pass((until - start) / 2);
      await refund({ scope: 'remaining' });
      expect(await refund({ scope: 'remaining' })).toMatchObject({
        status: 409,
        body: { code: 'nothing_to_refund' },
      });
      const from = new Date(start + (until - start) / 4).toISOString();
      const { body } = await refund({ scope: 'remaining', from });
      expect(body).toMatchObject({ amountMicros: '6750000' });
    });

    it('ends at once when its first payment is refunded in full, but not after a partial refund', async () => {
      await subscribe();
      const until = (await subscription()).paid_through;
      await refund({ amountMicros: '5000000' });
      await billing.follow();
      expect(await subscription()).toMatchObject({ state: 'active', paid_through: until });
      await refund({});
      await billing.follow();
      expect(await subscription()).toMatchObject({ state: 'cancelled', paid_through: null });
      const body = { product: 'subscription', sku: 'api-5K-month', processor };
      expect((await billing.call('POST', 'orders', { accountId, body })).status).toBe(201);
    });

    it('ends with the previous period when a dispute about the renewal is lost; if the decision is reversed, the paid time is restored', async () => {
      await subscribe();
      const turn = addMonths(billing.clock.now(), 1);
      await billing.pass(turn.getTime() - billing.clock.now().getTime());
      const until = end();
      const [{ externalId }] = await payments();
      const id = side.dispute(externalId);
      side.decideDispute(id, 'lost');
      await billing.settle();
      await billing.follow();
      expect(await lastState()).toMatchObject({
        state: 'cancelled',
        paidThrough: turn.toISOString(),
      });
      side.decideDispute(id, 'won');
      await billing.settle();
      expect(await lastState()).toMatchObject({ state: 'cancelled', paidThrough: until });
    });

    it('does not end while a dispute is open', async () => {
      await subscribe();
      side.dispute((await payments())[0].externalId);
      await billing.settle();
      await billing.follow();
      expect(await subscription()).toMatchObject({ state: 'active' });
    });

    it('returns to the old plan when an upgrade is refunded, and to the new plan when that refund fails', async () => {
      const { id } = await subscribe();
      const until = end();
      await billing.pass(HOUR_MS);
      await change(id);
      expect(await subscription()).toMatchObject({ sku: 'api-50K-month' });
      await refund({});
      await billing.follow();
      expect(await lastState()).toMatchObject({
        state: 'active',
        sku: 'api-15K-month',
        limits: { live: 40 },
      });
      const paid = await side.moneyOf(accountId);
      side.failRefund(side.refunds()[0].id);
      await billing.settle();
      await billing.follow();
      expect(await lastState()).toMatchObject({ sku: 'api-50K-month', limits: { live: 80 } });
      expect(await side.moneyOf(accountId)).toEqual({ ...paid, refunded: 0 });
      expect(await subscription()).toMatchObject({ state: 'active' });
      expect(Date.parse((await subscription()).paid_through!)).toBeGreaterThan(
        Date.parse(until) - DAY_MS,
      );
    });

    it('keeps a downgrade that waits for the end of the period when an upgrade is refunded', async () => {
      const { id } = await subscribe();
      const until = end();
      await billing.pass(HOUR_MS);
      await change(id);
      await change(id, 'api-5K-month');
      await refund({});
      await billing.follow();
      const waiting = { sku: 'api-15K-month', pending_change: { sku: 'api-5K-month' } };
      expect(await subscription()).toMatchObject(waiting);
      const { paid } = await side.moneyOf(accountId);
      await billing.pass(Date.parse(until) + HOUR_MS - billing.clock.now().getTime());
      expect(await subscription()).toMatchObject({ sku: 'api-5K-month', pending_change: null });
      expect(await side.moneyOf(accountId)).toMatchObject({ paid: paid + 10_00 });
    });

    it('keeps a downgrade that has begun but is not paid yet when a part of the earlier period is refunded', async () => {
      const { id } = await subscribe();
      const until = Date.parse(end());
      await change(id, 'api-5K-month');
      await side.setFunds(accountId, 'declines');
      await billing.pass(until + HOUR_MS - billing.clock.now().getTime());
      await side.setFunds(accountId, 'works');
      await refund({ amountMicros: '5000000' });
      await billing.follow();
      expect(await subscription()).toMatchObject({ state: 'past_due', sku: 'api-5K-month' });
    });

    it('cannot be changed until its old plan has been restored after the refund of an upgrade', async () => {
      const { id } = await subscribe();
      await billing.pass(HOUR_MS);
      await change(id);
      await refund({});
      const wish = { accountId, body: { sku: 'api-150K-month' } };
      const ask = async () =>
        (await billing.call('POST', `subscriptions/${id}/preview`, wish)).status;
      expect(await ask()).toBe(409);
      await billing.follow();
      expect([await ask(), (await subscription()).sku]).toEqual([200, 'api-15K-month']);
    });

    it('can be upgraded again after its old plan has been restored, and keeps the upgrade', async () => {
      const { id } = await subscribe();
      for (let time = 0; time < 2; time += 1) {
        await billing.pass(HOUR_MS);
        await change(id);
        if (time === 0) await refund({});
        await billing.follow();
      }
      for (let round = 0; round < 2; round += 1) await billing.follow();
      expect(await subscription()).toMatchObject({ sku: 'api-50K-month' });
    });
  });
});
