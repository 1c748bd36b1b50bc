import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { DAY_MS } from '#libs/platform';
import type { Callback } from '../../../simulators/src/payments/callback-sender.js';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { agreeAtPaypal } from '../../../../test/billing/hosted-page.js';
import { SyncService } from '../processor-sync/sync.service.js';
import { permutationsOf } from '../../../../test/permutations.js';
import { sideOf } from '../../../../test/billing/sides/side-of.js';

const WISH = { sku: 'api-50K-month' };
const PRICES_CENTS = 27_00 + 75_00;

interface Row {
  id: string;
  external_id: string;
  period_end: Date;
}

describe('changes whose payment PayPal reviews until after the end of the period', () => {
  let billing: BillingUnderTest;
  let accountId: string;
  let agreementId: string;

  beforeAll(async () => {
    billing = await BillingUnderTest.start();
  });
  afterAll(() => billing.stop());
  afterEach(() => {
    expect(billing.logLines.splice(0)).toEqual([]);
  });

  const side = () => sideOf(billing, 'paypal');
  const isChange = (captureId: string) =>
    billing.simulator.paypal.world.get('capture', captureId).custom_id?.startsWith('change,');
  async function row(): Promise<Row> {
    const sql = 'select * from subscriptions where account_id = $1';
    return (await billing.database.query<Row>(sql, [accountId]))[0];
  }
  async function send({ body }: Callback): Promise<void> {
    const raw = Buffer.from(body);
    await billing.call('POST', 'callbacks/paypal', { body: raw, headers: side().sign(raw) });
    await billing.settle();
  }

  /**
   * Creates a 15K plan whose customer accepts a change to 50K the given number of days before the period ends. PayPal
   * reviews the payment for 3 days.
   */
  async function reviewed(days: number): Promise<void> {
    accountId = billing.newAccount();
    const body = { product: 'subscription', sku: 'api-15K-month', processor: 'paypal' };
    await billing.act((await billing.call('POST', 'orders', { accountId, body })).body, 'pay');
    const { external_id: id, period_end: end } = await row();
    agreementId = id;
    await billing.pass(end.getTime() - billing.clock.now().getTime() - days * DAY_MS);
    const { body: listed } = await billing.call('GET', 'subscriptions', { accountId });
    const path = `subscriptions/${listed.subscriptions[0].id}/change`;
    const asked = await billing.call('POST', path, { accountId, body: WISH });
    await agreeAtPaypal(asked.body.redirect_url, 'delayed');
    await billing.settle();
  }

  /**
   * Holds back all callbacks until PayPal has decided and the next period is paid. @returns the subscription's
   * callbacks.
   */
  async function callbacksAfterwards(): Promise<readonly Callback[]> {
    side().callbacks.hold();
    await billing.pass(5 * DAY_MS);
    const held = side().callbacks.takeHeld();
    return held.filter(({ body }) => body.includes(agreementId));
  }

  /**
   * Expects that the prices of both periods were kept, and that the change's payment was refunded without being
   * announced.
   */
  async function expectReturned(): Promise<void> {
    await billing.follow();
    const { paid, refunded } = await side().moneyOf(accountId);
    expect([paid - refunded, refunded > 0]).toEqual([PRICES_CENTS, true]);
    expect(JSON.stringify(await billing.events(accountId))).not.toContain('subscription_upgrade');
    expect(await row()).toMatchObject({
      ...WISH,
      paid_sku: WISH.sku,
      grace_sku: WISH.sku,
      wanted_sku: null,
      set_aside_because: null,
    });
  }

  it.each([
    ['after its period', 1],
    ['within its period but announced afterwards', 4],
  ])(
    'S49: a reviewed change that is paid %s is refunded, in whatever order callbacks arrive',
    async (_, days) => {
      await reviewed(days);
      const { length } = await callbacksAfterwards();
      expect(length).toBeGreaterThanOrEqual(2);
      for (const order of permutationsOf(length)) {
        await reviewed(days);
        const callbacks = await callbacksAfterwards();
        for (const at of [...order, ...order.toReversed()]) await send(callbacks[at]);
        await billing.retry();
        await expectReturned();
      }
    },
  );

  it('a late payment without a callback is found when its subscription is fetched, and is refunded', async () => {
    await reviewed(1);
    await callbacksAfterwards();
    await billing.database.transaction((transaction) =>
      billing.get(SyncService).want(transaction, {
        processor: 'paypal',
        kind: 'subscription',
        id: agreementId,
      }),
    );
    await billing.settle();
    await expectReturned();
  });

  it.each(['nothing happens', 'the customer cancels and undoes it'])(
    'S49: after a partial refund at PayPal, the rest of a late payment is refunded (%s in the next period, before any callback)',
    async (meanwhile) => {
      await reviewed(1);
      const callbacks = await callbacksAfterwards();
      side().callbacks.hold();
      const [change] = (await side().paymentsOf(accountId)).filter((id) => isChange(id));
      side().refund(change, 1);
      if (meanwhile !== 'nothing happens') {
        const { id } = await row();
        for (const path of ['cancel', 'undo']) {
          const done = await billing.call('POST', `subscriptions/${id}/${path}`, { accountId });
          expect(done.status).toBe(200);
        }
      }
      for (const callback of [...callbacks, ...side().callbacks.takeHeld()]) await send(callback);
      await billing.retry();
      await expectReturned();
    },
  );
});
