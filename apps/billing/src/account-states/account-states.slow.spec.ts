import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type {
  OrderAnswer,
  PaymentAnswer,
  SetAsideMoney,
  SubscriptionAnswer,
} from '#libs/contracts';
import { DAY_MS, HOUR_MS, MINUTE_MS, newId } from '#libs/platform';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { agreeAtPaypal, pressButton } from '../../../../test/billing/hosted-page.js';
import { BOTH, type ProcessorSide, sideOf } from '../../../../test/billing/sides/side-of.js';
import { PaymentProcessors } from '../processors/payment-processors.js';

/** The price of `api-5K-month`. */
const LOWER_CENTS = 1_000;

describe.each(BOTH)('deleted and suspended accounts, at %s', (processor) => {
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

  async function order(sku = 'api-15K-month'): Promise<OrderAnswer> {
    const body = { product: 'subscription', sku, processor };
    const answer = await billing.call('POST', 'orders', { accountId, body });
    expect(answer.status).toBe(201);
    return answer.body as OrderAnswer;
  }

  async function subscription() {
    const { body } = await billing.call('GET', 'subscriptions', { accountId });
    return body.subscriptions[0] as SubscriptionAnswer;
  }

  const typesSaid = async () => (await billing.events(accountId)).map(({ type }) => type);
  const refunds = () => side.refunds().length;
  const orderCredits = () => billing.order(accountId, 15_000, processor);
  const cancel = async () =>
    billing.call('POST', `subscriptions/${(await subscription()).id}/cancel`, { accountId });

  it('a deletion cancels the subscription at the end of its period, and a restoration undoes the cancellation', async () => {
    await billing.act(await order(), 'pay');
    await billing.deliver('deleted', accountId);
    await billing.follow();
    expect(await subscription()).toMatchObject({ state: 'active', cancel_at: expect.any(String) });
    await billing.deliver('restored', accountId);
    await billing.follow();
    expect(await subscription()).toMatchObject({ state: 'active', cancel_at: null });
    await billing.pass(MINUTE_MS);
    await billing.deliver('deleted', accountId);
    await billing.follow();
    expect(await subscription()).toMatchObject({ cancel_at: expect.any(String) });
  });

  describe('a plan change that is pending when its account is deleted', () => {
    const downgrade = { pending_change: { sku: 'api-5K-month' }, cancel_at: null };

    beforeEach(async () => {
      await billing.act(await order(), 'pay');
      const { id } = await subscription();
      const body = { sku: 'api-5K-month' };
      const changed = await billing.call('POST', `subscriptions/${id}/change`, { accountId, body });
      if (changed.body.redirect_url) await agreeAtPaypal(changed.body.redirect_url);
      await billing.settle();
      expect(await subscription()).toMatchObject(downgrade);
      await billing.deliver('deleted', accountId);
      await billing.follow();
      expect(await subscription()).toMatchObject({ cancel_at: expect.any(String) });
      await billing.pass(MINUTE_MS);
      await billing.deliver('restored', accountId);
    });

    async function expectRestored(): Promise<void> {
      await billing.follow();
      expect(await subscription()).toMatchObject(downgrade);
      const schedules = billing.simulator.world
        .all('subscription_schedule')
        .filter(({ status, subscription: id }) => status === 'active' && id === newest());
      expect(schedules).toHaveLength(processor === 'stripe' ? 1 : 0);
      const { paid } = await side.moneyOf(accountId);
      await billing.pass(32 * DAY_MS);
      const { body } = await billing.call('GET', 'subscriptions', { accountId });
      expect(body.subscriptions).toMatchObject([{ sku: 'api-5K-month', pending_change: null }]);
      expect(await side.moneyOf(accountId)).toEqual({ paid: paid + LOWER_CENTS, refunded: 0 });
    }

    const newest = () => side.newest('subscription', 1)[0];

    it('is restored with the account', () => expectRestored());

    it('is restored once, even if the process died before it scheduled the change', async () => {
      await billing.get(PaymentProcessors).get(processor).resume(newest(), newId());
      await billing.settle();
      await expectRestored();
    });

    it.each([0, 1, 2])(
      'is restored once, even if the processor cannot be reached after %i calls',
      async (passedRequests) => {
        const { apiFaults } = billing.simulator;
        Object.assign(apiFaults, { passedRequests, lostRequests: Infinity });
        await billing.follow();
        Object.assign(apiFaults, { passedRequests: 0, lostRequests: 0 });
        await expectRestored();
        expect(billing.logLines.splice(0)).toEqual([]);
      },
    );
  });

  it('a restoration takes effect even if the clock was set back after the deletion', async () => {
    await billing.act(await order(), 'pay');
    for (const fate of ['deleted', 'suspended'] as const) await billing.deliver(fate, accountId);
    await billing.follow();
    billing.clock.advance(-5 * MINUTE_MS);
    for (const fate of ['restored', 'unsuspended'] as const) await billing.deliver(fate, accountId);
    await billing.follow();
    billing.clock.advance(5 * MINUTE_MS);
    expect(await subscription()).toMatchObject({ state: 'active', cancel_at: null });
    const body = { product: 'package', credits: 5_000, processor };
    expect((await billing.call('POST', 'orders', { accountId, body })).status).toBe(201);
  });

  it('a deleted account cannot undo a cancellation, which would bill the account again', async () => {
    await billing.act(await order(), 'pay');
    await billing.deliver('deleted', accountId);
    await billing.follow();
    const { id } = await subscription();
    expect(await billing.call('POST', `subscriptions/${id}/undo`, { accountId })).toMatchObject({
      status: 403,
      body: { code: 'account_deleted' },
    });
    expect(await subscription()).toMatchObject({ cancel_at: expect.any(String) });
  });

  it('a deleted account’s subscription is cancelled again if an undo reaches the processor after the deletion', async () => {
    await billing.act(await order(), 'pay');
    const [{ externalId }] = await billing.database.query<{ externalId: string }>(
      `select external_id as "externalId" from subscriptions where account_id = $1`,
      [accountId],
    );
    await billing.deliver('deleted', accountId);
    await billing.follow();
    await billing.get(PaymentProcessors).get(processor).resume(externalId, newId());
    await billing.settle();
    expect(await subscription()).toMatchObject({ state: 'active', cancel_at: null });
    await billing.follow();
    expect(await subscription()).toMatchObject({ cancel_at: expect.any(String) });
  });

  it('until a restoration has taken effect, the customer cannot change the subscription, because the change would be overwritten', async () => {
    await billing.act(await order(), 'pay');
    await billing.deliver('deleted', accountId);
    await billing.follow();
    await billing.pass(MINUTE_MS);
    await billing.deliver('restored', accountId);
    const { id } = await subscription();
    const ask = async (step: string) =>
      (
        await billing.call('POST', `subscriptions/${id}/${step}`, {
          accountId,
          ...(step === 'change' && { body: { sku: 'api-5K-month' } }),
        })
      ).status;
    for (const step of ['cancel', 'undo', 'change'])
      expect([step, await ask(step)]).toEqual([step, 409]);
    await billing.follow();
    expect(await subscription()).toMatchObject({ cancel_at: null });
    expect(await ask('cancel')).toBe(200);
    await billing.follow();
    expect(await subscription()).toMatchObject({ cancel_at: expect.any(String) });
  });

  it('a subscription that the customer cancelled before the deletion stays cancelled after a restoration', async () => {
    await billing.act(await order(), 'pay');
    await cancel();
    await billing.deliver('deleted', accountId);
    await billing.follow();
    await billing.deliver('restored', accountId);
    await billing.follow();
    expect(await subscription()).toMatchObject({ cancel_at: expect.any(String) });
  });

  it('an erasure ends the subscription at once, and a late restoration allows no orders', async () => {
    await billing.act(await order(), 'pay');
    await billing.deliver('deleted', accountId);
    await billing.deliver('erased', accountId);
    await billing.follow();
    expect(await subscription()).toMatchObject({ state: 'cancelled' });
    await billing.deliver('restored', accountId);
    const body = { product: 'package', credits: 5_000, processor };
    expect(await billing.call('POST', 'orders', { accountId, body })).toMatchObject({
      status: 403,
    });
  });

  it('a deleted account cannot buy, and its open payment pages are closed', async () => {
    const open = await orderCredits();
    await billing.deliver('deleted', accountId);
    await billing.follow();
    expect(await billing.stateOf(accountId, open)).toBe('cancelled');
    await billing.act(open, 'pay');
    expect(await typesSaid()).toEqual([]);
    const body = { product: 'package', credits: 5_000, processor };
    expect(await billing.call('POST', 'orders', { accountId, body })).toMatchObject({
      status: 403,
      body: { code: 'account_deleted' },
    });
  });

  it('a suspended account cannot buy, but its payments count, and it can buy again after the suspension', async () => {
    const open = await orderCredits();
    await billing.deliver('suspended', accountId);
    const body = { product: 'package', credits: 5_000, processor };
    expect(await billing.call('POST', 'orders', { accountId, body })).toMatchObject({
      status: 403,
      body: { code: 'account_suspended' },
    });
    await billing.act(open, 'pay');
    await billing.follow();
    expect(await typesSaid()).toEqual(['billing.payment-confirmed']);
    await billing.pass(MINUTE_MS);
    await billing.deliver('unsuspended', accountId);
    expect(await billing.call('POST', 'orders', { accountId, body })).toMatchObject({
      status: 201,
    });
  });

  it('a refund ends the subscription, even if the account was suspended in the meantime', async () => {
    await billing.act(await order(), 'pay');
    await billing.deliver('suspended', accountId);
    await billing.pass(MINUTE_MS);
    await billing.deliver('unsuspended', accountId);
    side.refund((await side.paymentsOf(accountId))[0]);
    await billing.settle();
    await billing.follow();
    expect(side.hasEndedLatest()).toBe(true);
    const { body } = await billing.call('GET', 'operator/timeline?limit=1000', {
      accountId,
      caller: 'cli',
    });
    expect(body.map(({ text }: { text: string }) => text)).toContain(
      'billing learned that it is no longer suspended',
    );
  });

  it('money that arrives after the deletion is refunded once, and grants nothing', async () => {
    const [bought, subscribed] = [await orderCredits(), await order()];
    const before = refunds();
    await billing.deliver('deleted', accountId);
    await billing.act(bought, 'pay');
    await billing.act(subscribed, 'pay');
    for (let round = 0; round < 3; round += 1) await billing.follow();
    expect(refunds()).toBe(before + 2);
    expect(await billing.stateOf(accountId, bought)).toBe('refunded');
    expect(side.hasEndedLatest()).toBe(true);
    expect(await typesSaid()).toEqual([]);
    const cli = { accountId, caller: 'cli' } as const;
    const { body } = await billing.call('GET', 'operator/payments', cli);
    const refunded = (body.payments as PaymentAnswer[]).flatMap(({ reversals }) => reversals);
    expect(refunded.map(({ state, credits }) => [state, credits])).toEqual([
      ['final', '0'],
      ['final', '0'],
    ]);
  });

  describe('an upgrade that is still unpaid when the account is deleted', () => {
    /** Starts an upgrade. @returns the page where the upgrade is paid. */
    async function leaveUnpaid(): Promise<string> {
      await billing.act(await order(), 'pay');
      const { id } = await subscription();
      await side.setFunds(accountId, 'declines');
      const body = { sku: 'api-50K-month' };
      const asked = await billing.call('POST', `subscriptions/${id}/change`, { accountId, body });
      if (processor === 'paypal') await agreeAtPaypal(asked.body.redirect_url, 'abandon');
      await billing.settle();
      await side.setFunds(accountId, 'works');
      return (await subscription()).unpaid_change!.pay_url!;
    }
    const pay = async (page: string) => {
      await pressButton(page, 'pay');
      await billing.settle();
      for (let round = 0; round < 3; round += 1) await billing.follow();
    };

    it.each([
      ['', async () => undefined],
      [', although its customer had cancelled the subscription before', cancel],
    ])('takes no money after the deletion%s', async (_, before) => {
      const page = await leaveUnpaid();
      await before();
      await billing.deliver('deleted', accountId);
      await billing.follow();
      await pay(page);
      expect(await side.moneyOf(accountId)).toEqual({ paid: 27_00, refunded: 0 });
      expect(await subscription()).toMatchObject({ sku: 'api-15K-month', unpaid_change: null });
    });

    it('is refunded if it is paid at the same moment, and the earlier plan is restored', async () => {
      const page = await leaveUnpaid();
      await billing.deliver('deleted', accountId);
      await pay(page);
      expect(await side.moneyOf(accountId)).toEqual({ paid: 75_00, refunded: 48_00 });
      await billing.pass(MINUTE_MS);
      await billing.deliver('restored', accountId);
      await billing.follow();
      expect(await subscription()).toMatchObject({ sku: 'api-15K-month', cancel_at: null });
    });
  });

  describe('a refund that the processor refuses', () => {
    const given = () => billing.logLines.splice(0).length;
    const later = async (ms: number) => {
      await billing.pass(ms);
      await billing.follow();
    };
    async function payAfterDeletion(refusals: number): Promise<OrderAnswer> {
      const bought = await orderCredits();
      await billing.deliver('deleted', accountId);
      billing.simulator.apiFaults.refusedRefunds = refusals;
      await billing.act(bought, 'pay');
      await billing.follow();
      return bought;
    }

    it('is retried after an hour, and the money is refunded once', async () => {
      const before = refunds();
      const bought = await payAfterDeletion(1);
      await billing.follow();
      expect([refunds(), given()]).toEqual([before, 1]);
      await later(HOUR_MS);
      for (let round = 0; round < 2; round += 1) await later(DAY_MS);
      expect([refunds(), given()]).toEqual([before + 1, 0]);
      expect(await billing.stateOf(accountId, bought)).toBe('refunded');
      expect(await setAside()).toEqual([]);
      expect(await typesSaid()).toEqual([]);
    });

    it('is set aside after four more attempts, so that an operator can see it and refund the money', async () => {
      const before = refunds();
      await payAfterDeletion(Infinity);
      for (const hours of [1, 6, 24, 72]) {
        expect(await setAside()).toEqual([]);
        await later(hours * HOUR_MS);
      }
      await billing.follow();
      expect(given()).toBe(5);
      const [{ kind, id, reason }] = await setAside();
      expect([kind, reason]).toEqual([
        'unreturned',
        'not refunded: its refunds were refused or failed',
      ]);
      await later(30 * DAY_MS);
      billing.simulator.apiFaults.refusedRefunds = 0;
      await later(30 * DAY_MS);
      expect([refunds(), given()]).toEqual([before, 0]);
      const call = { accountId, caller: 'cli' as const };
      expect((await billing.call('POST', `operator/refunds/${id}/retry`, call)).status).toBe(200);
      expect(await setAside()).toEqual([]);
    });

    async function setAside() {
      const { body } = await billing.call('GET', 'operator/set-aside', { caller: 'cli' });
      const all = body as SetAsideMoney[];
      return all.filter((one) => one.accountId === accountId);
    }
  });

  it('if two checkouts for one product line are paid, the second subscription is ended and refunded, without any event', async () => {
    const [first, second] = [await order(), await order('api-50K-month')];
    await billing.act(first, 'pay');
    await billing.act(second, 'pay');
    const before = await typesSaid();
    for (let round = 0; round < 3; round += 1) await billing.follow();
    expect(await subscription()).toMatchObject({ state: 'active', sku: 'api-15K-month' });
    expect(side.hasEndedLatest()).toBe(true);
    expect(await billing.stateOf(accountId, second)).toBe('refunded');
    expect(await billing.stateOf(accountId, first)).toBe('paid');
    expect(await typesSaid()).toEqual(before);
    expect(before.filter((type) => type === 'billing.payment-confirmed')).toHaveLength(1);
  });
});
