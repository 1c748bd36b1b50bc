import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { OrderAnswer } from '#libs/contracts';
import { DAY_MS, HOUR_MS, addMonths } from '#libs/platform';
import type { Callback } from '../../../simulators/src/payments/callback-sender.js';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { pressButton } from '../../../../test/billing/hosted-page.js';
import { permutationsOf } from '../../../../test/permutations.js';
import { BOTH, type ProcessorSide, sideOf } from '../../../../test/billing/sides/side-of.js';

/** The events about money or a state; the other events of a purchase name the same objects. */
const TELLING = /invoice\.paid|subscription\.(created|updated)|SALE\.COMPLETED|ACTIVATED/;
/**
 * The money that is not refunded, in cents: one month of 150K, and 5K, which PayPal renews before it charges the
 * reactivated subscription.
 */
const KEPT = { stripe: 19_500 + 1_000, paypal: 19_500 + 2 * 1_000 };

describe.each(BOTH)('a second paid subscription of a line at %s', (processor) => {
  let billing: BillingUnderTest;
  let side: ProcessorSide;

  beforeAll(async () => {
    billing = await BillingUnderTest.start();
    side = sideOf(billing, processor);
  });
  afterAll(() => billing.stop());
  afterEach(async () => {
    expect(await billing.violations()).toEqual([]);
    expect(billing.logLines.splice(0)).toEqual([]);
  });

  async function order(accountId: string, sku: string): Promise<OrderAnswer> {
    const body = { product: 'subscription', sku, processor };
    const answer = await billing.call('POST', 'orders', { accountId, body });
    expect(answer.status).toBe(201);
    return answer.body as OrderAnswer;
  }

  /** Creates an account whose 150K plan has become unpaid, so that it may buy another plan. */
  async function unpaid(): Promise<{ accountId: string; external: string }> {
    const accountId = billing.newAccount();
    await billing.act(await order(accountId, 'api-150K-month'), 'pay');
    const [external] = side.newest('subscription', 1);
    await side.setFunds(accountId, 'declines');
    const now = billing.clock.now();
    await billing.pass(addMonths(now, 1).getTime() - now.getTime() + HOUR_MS);
    await billing.pass(16 * DAY_MS);
    return { accountId, external };
  }

  async function payFirst(accountId: string, external: string): Promise<void> {
    await side.setFunds(accountId, 'works');
    if (processor === 'stripe') {
      for (const page of await side.openBills(accountId)) await side.agree(page);
      return;
    }
    billing.simulator.paypal.subscriptions.activate(external);
    await billing.pass(31 * DAY_MS);
  }

  async function deliver(callback: Callback): Promise<void> {
    const body = Buffer.from(callback.body);
    const headers = side.sign(body);
    const answer = await billing.call('POST', `callbacks/${processor}`, { body, headers });
    expect(answer).toMatchObject({ status: 200 });
    await billing.settle();
  }

  /**
   * Returns the money that was not refunded at the processor, and the money that was announced and not reversed, in
   * cents.
   */
  async function kept(accountId: string): Promise<{ there: number; announced: number }> {
    for (let round = 0; round < 3; round += 1) {
      await billing.follow();
      await billing.retry();
    }
    const { paid, refunded } = await side.moneyOf(accountId);
    const events = await billing.events(accountId);
    const data = (type: string) =>
      events
        .filter((event) => event.type === type)
        .map((event) => event.data as Record<string, unknown>);
    const final = data('billing.payment-reversed').filter(({ phase }) => phase === 'final');
    const taken = new Set(final.map(({ paymentId }) => paymentId));
    const announced = data('billing.payment-confirmed')
      .filter(({ paymentId }) => !taken.has(paymentId))
      .reduce((sum, { amountMicros }) => sum + Number(amountMicros) / 10_000, 0);
    return { there: paid - refunded, announced };
  }

  async function current(accountId: string): Promise<object[]> {
    const { body } = await billing.call('GET', 'subscriptions', { accountId });
    return body.subscriptions.filter((one: { is_current: boolean }) => one.is_current);
  }

  it('is refunded when the unpaid bill of the first is paid, in whatever order callbacks arrive', async () => {
    const first = await unpaid();
    let count = 0;
    for (let nth = 0; nth === 0 || nth < permutationsOf(count).length; nth += 1) {
      const { accountId, external } = nth === 0 ? first : await unpaid();
      await billing.act(await order(accountId, 'api-5K-month'), 'pay');
      side.callbacks.hold();
      await payFirst(accountId, external);
      const said = side.callbacks.takeHeld().filter(({ type }) => TELLING.test(type));
      count = said.length;
      expect(count).toBeGreaterThan(1);
      for (const at of permutationsOf(count)[nth]) await deliver(said[at]);
      const { there, announced } = await kept(accountId);
      expect([nth, there, announced]).toEqual([nth, KEPT[processor], KEPT[processor]]);
      expect(await current(accountId)).toMatchObject([{ sku: 'api-5K-month' }]);
      const said150 = await billing.database.query(
        `select state from subscriptions where account_id = $1 and sku = 'api-150K-month'`,
        [accountId],
      );
      expect(said150).toEqual([{ state: 'cancelled' }]);
    }
  });

  it('is refunded, regardless of which of the two arrives first', async () => {
    for (const nth of [0, 1, 2, 3]) {
      const accountId = billing.newAccount();
      const orders = [
        await order(accountId, 'api-150K-month'),
        await order(accountId, 'api-5K-month'),
      ];
      side.callbacks.hold();
      for (const { redirect_url: url } of orders) await pressButton(url as string, 'pay');
      const said = side.callbacks.takeHeld().filter(({ type }) => TELLING.test(type));
      const turned = nth % 2 === 0 ? said : said.toReversed();
      for (const callback of nth < 2 ? turned : [...turned.slice(1), turned[0]]) {
        await deliver(callback);
      }
      const { there, announced } = await kept(accountId);
      expect([nth, there]).toEqual([nth, announced]);
      expect(await current(accountId)).toHaveLength(1);
    }
  });

  it('is reversed and refunded if it was announced before it was known to be the second', async () => {
    const { accountId, external } = await unpaid();
    await billing.act(await order(accountId, 'api-5K-month'), 'pay');
    side.callbacks.hold();
    // The fetch at the start of the next period would show that it is the second before its money arrives.
    await billing.database.query(
      `delete from work where payload ->> 'id' = $1 and state = 'waiting'`,
      [external],
    );
    await payFirst(accountId, external);
    const said = side.callbacks.takeHeld().filter(({ type }) => TELLING.test(type));
    const isMoney = ({ type }: Callback) => /invoice.paid|SALE/.test(type);
    const setUnpaid = standIn(external);
    setUnpaid(true);
    for (const callback of said.filter(isMoney)) await deliver(callback);
    const types = async () => (await billing.events(accountId)).map(({ type }) => type);
    const before = await types();
    setUnpaid(false);
    for (const callback of said.filter((one) => !isMoney(one))) await deliver(callback);
    const { there, announced } = await kept(accountId);
    expect([there, announced]).toEqual([KEPT[processor], KEPT[processor]]);
    const reversals = (await types()).filter((type) => type === 'billing.payment-reversed');
    expect(before).not.toContain('billing.payment-reversed');
    expect(reversals.length).toBeGreaterThan(0);
    const { data } = (await billing.events(accountId)).findLast(
      ({ type, data: said150 }) =>
        type === 'billing.subscription-changed' && said150.sku === 'api-150K-month',
    )!;
    expect(data).toMatchObject({ state: 'expired' });
  });

  /** Returns a function that sets whether the processor reports the paid subscription as unpaid. */
  function standIn(external: string): (isUnpaid: boolean) => void {
    const { world, paypal } = billing.simulator;
    if (processor === 'stripe') {
      const subscription = world.get('subscription', external);
      return (isUnpaid) => void (subscription.status = isUnpaid ? 'unpaid' : 'active');
    }
    const subscription = paypal.world.get('subscription', external);
    return (isUnpaid) => {
      subscription.status = isUnpaid ? 'SUSPENDED' : 'ACTIVE';
      subscription.billing_info.failed_payments_count = isUnpaid ? 3 : 0;
    };
  }
});
