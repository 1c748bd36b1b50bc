import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { OrderAnswer, SetAsideMoney } from '#libs/contracts';
import { DAY_MS, HOUR_MS, addMonths, shareOfMoney } from '#libs/platform';
import { FailedWork } from '#libs/work';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { agreeAtPaypal, pressButton } from '../../../../test/billing/hosted-page.js';
import { PaypalPlan } from '../../../../test/billing/paypal-plan.js';
import { OpenOrdersJob } from '../missed-news/open-orders.job.js';
import { SyncService } from '../processor-sync/sync.service.js';
import { WantedObjects } from '../processor-sync/wanted-objects.js';

describe('subscriptions through PayPal', () => {
  let billing: BillingUnderTest;
  let plan: PaypalPlan;
  let accountId: string;
  let start: Date;
  let end: Date;
  let bought: OrderAnswer;

  beforeAll(async () => {
    billing = await BillingUnderTest.start();
  });
  afterAll(() => billing.stop());
  afterEach(() => {
    expect(billing.logLines.splice(0)).toEqual([]);
  });
  beforeEach(async () => {
    plan = await PaypalPlan.buy(billing);
    ({ accountId, start, end, bought } = plan);
  });

  it('a paid checkout starts a subscription whose first period is paid', async () => {
    expect(await billing.stateOf(accountId, bought)).toBe('paid');
    const { payments, states } = await plan.said();
    expect(payments).toEqual([
      expect.objectContaining({
        orderId: bought.id,
        amountMicros: '27000000',
        lines: [
          expect.objectContaining({
            kind: 'subscription',
            sku: 'api-15K-month',
            periodStart: start.toISOString(),
            periodEnd: end.toISOString(),
            from: start.toISOString(),
            monthlyCredits: '15000',
          }),
        ],
      }),
    ]);
    const paidThrough = end.toISOString();
    expect(states.at(-1)).toMatchObject({ state: 'active', sku: 'api-15K-month', paidThrough });
  });

  it('a renewal is a payment without an order, and extends the paid period', async () => {
    await plan.said();
    await plan.passTo(end);
    const { payments, states } = await plan.said();
    expect(payments).toHaveLength(1);
    expect(payments[0].orderId).toBeUndefined();
    expect(states.at(-1)).toMatchObject({
      periodStart: end.toISOString(),
      paidThrough: addMonths(start, 2).toISOString(),
    });
  });

  it('a failed renewal keeps the paid period, and its late payment extends it', async () => {
    await plan.said();
    billing.simulator.paypal.subscriptions.setFunds('declines');
    await plan.passTo(end);
    expect(await plan.row()).toMatchObject({ state: 'past_due', paid_through: end.toISOString() });
    billing.simulator.paypal.subscriptions.setFunds('works');
    await billing.pass(5 * DAY_MS);
    const paidThrough = addMonths(start, 2).toISOString();
    expect(await plan.row()).toMatchObject({ state: 'active', paid_through: paidThrough });
    expect((await plan.said()).payments).toHaveLength(1);
  });

  it('an upgrade is accepted and paid at PayPal, for the amount of its preview', async () => {
    await plan.said();
    await billing.pass(10 * DAY_MS);
    const preview = await plan.ask('preview', { sku: 'api-50K-month' });
    const { from, due_micros: due } = preview.body;
    const changed = await plan.ask('change', { sku: 'api-50K-month', from });
    expect(changed.body.subscription).toMatchObject({ sku: 'api-15K-month', pending_change: null });
    expect((await plan.said()).payments).toEqual([]);
    await plan.agree(changed.body.redirect_url);
    const { payments, states } = await plan.said();
    expect(payments).toEqual([
      expect.objectContaining({
        amountMicros: due,
        lines: [
          expect.objectContaining({
            kind: 'subscription_upgrade',
            sku: 'api-50K-month',
            monthlyCredits: '35000',
            periodStart: start.toISOString(),
            periodEnd: end.toISOString(),
            from,
          }),
        ],
      }),
    ]);
    expect(states.at(-1)).toMatchObject({ sku: 'api-50K-month' });
    await plan.passTo(end);
    expect((await plan.said()).payments).toMatchObject([{ amountMicros: '75000000' }]);
    expect(await billing.stateOf(accountId, bought)).toBe('paid');
  });

  it('a callback about the first payment that comes only after two upgrades changes nothing', async () => {
    for (const sku of ['api-50K-month', 'api-150K-month']) {
      await billing.pass(DAY_MS);
      await plan.agree((await plan.ask('change', { sku })).body.redirect_url);
    }
    await plan.said();
    const [id] = billing.simulator.paypal.subscriptions.salesFor(plan.atPaypal().id);
    const ref = { processor: 'paypal', kind: 'bill', id } as const;
    expect(await billing.get(SyncService).sync(ref)).toBe('synced');
    const { body } = await billing.call('GET', 'operator/set-aside', { caller: 'cli' });
    expect(body).toEqual([]);
    expect(await plan.said()).toEqual({ payments: [], states: [] });
  });

  it('an upgrade that is dated between two seconds has the price of its bill, which counts in seconds', async () => {
    const { period_start: from, period_end: to } = await plan.row();
    const [startMs, endMs] = [Date.parse(from), Date.parse(to)];
    const dueAt = (ms: number) => {
      const share = (micros: bigint) =>
        shareOfMoney(micros, BigInt(endMs - ms), BigInt(endMs - startMs));
      return share(75_000_000n) - share(27_000_000n);
    };
    let agreedMs = startMs;
    while (dueAt(agreedMs) === dueAt(agreedMs + 999)) agreedMs += 1_000;
    await plan.passTo(new Date(agreedMs + 1_000));
    const wish = { sku: 'api-50K-month', from: new Date(agreedMs + 999).toISOString() };
    await plan.agree((await plan.ask('change', wish)).body.redirect_url);
    const amountMicros = dueAt(agreedMs).toString();
    expect((await plan.said()).payments.at(-1)).toMatchObject({ amountMicros });
  });

  it('S50: after a renewal, an upgrade cannot be priced for the last minutes of the previous period', async () => {
    await plan.passTo(end);
    await billing.pass(HOUR_MS / 12);
    await plan.said();
    const from = new Date(end.getTime() - HOUR_MS / 60).toISOString();
    const refused = await plan.ask('change', { sku: 'api-50K-month', from });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ field: 'from' }] } });
    expect(await plan.said()).toEqual({ payments: [], states: [] });
  });

  it.each([
    ['at once', 'in that order'],
    ['in sequence', 'in that order'],
    ['in sequence', 'in reverse order'],
  ])(
    'S51: of two upgrades that are requested %s and accepted, %s, one is paid and in force',
    async (asked, order) => {
      await plan.said();
      const change = (sku: string) => plan.ask('change', { sku });
      const wanted = ['api-150K-month', 'api-50K-month'];
      const answers =
        asked === 'at once'
          ? await Promise.all(wanted.map(change))
          : [await change(wanted[0]), await change(wanted[1])];
      const pages = answers.filter(({ status }) => status === 200);
      expect(pages.length).toBeGreaterThan(0);
      for (const { status } of answers) expect([200, 409]).toContain(status);
      for (const { body } of order === 'in reverse order' ? pages.toReversed() : pages) {
        await plan.agree(body.redirect_url);
      }
      const { payments, states } = await plan.said();
      const [{ sku }] = payments[0].lines;
      expect(payments).toHaveLength(1);
      expect(states.at(-1)).toMatchObject({ sku });
      const captured = billing.simulator.paypal.world
        .all('capture')
        .filter(({ custom_id: mark = '' }) => mark.includes(plan.atPaypal().id));
      expect(captured.map(({ status }) => status)).toEqual(['COMPLETED']);
    },
  );

  it('an accepted upgrade that was never paid takes no money and begins with the next period', async () => {
    await plan.said();
    const { body } = await plan.ask('change', { sku: 'api-50K-month' });
    const payPage = new URL(await pressButton(body.redirect_url, 'agree' as 'pay'));
    expect(payPage.pathname).toContain('/checkoutnow/');
    await billing.settle();
    expect(await plan.row()).toMatchObject({
      sku: 'api-15K-month',
      pending_change: { sku: 'api-50K-month' },
    });
    await billing.pass(DAY_MS);
    expect((await plan.said()).payments).toEqual([]);
    await plan.passTo(end);
    // If the customer approves an order that no longer pays for anything, it is not captured.
    payPage.search = '';
    await pressButton(payPage.href, 'pay');
    await billing.settle();
    const { payments } = await plan.said();
    expect(payments).toMatchObject([{ amountMicros: '75000000' }]);
    expect(await plan.row()).toMatchObject({ sku: 'api-50K-month', pending_change: null });
  });

  it('an upgrade that is paid before it is accepted takes no money', async () => {
    await plan.said();
    const { orders, world } = billing.simulator.paypal;
    await plan.ask('change', { sku: 'api-50K-month' });
    orders.approve(world.all('order').at(-1)!.id, 'pays');
    await billing.settle();
    expect((await plan.said()).payments).toEqual([]);
    expect(world.all('order').at(-1)!.status).toBe('APPROVED');
    expect(await plan.row()).toMatchObject({ sku: 'api-15K-month', pending_change: null });
  });

  it('a downgrade is accepted, waits for the end of the period, and can be withdrawn with another approval at PayPal', async () => {
    const lower = await plan.ask('change', { sku: 'api-5K-month' });
    expect(lower.body.subscription.pending_change).toBeNull();
    await plan.agree(lower.body.redirect_url);
    expect(await plan.row()).toMatchObject({ pending_change: { sku: 'api-5K-month' } });
    const undone = await plan.ask('undo');
    expect(undone.body.redirect_url).toContain('/revise/');
    await plan.agree(undone.body.redirect_url);
    expect(await plan.row()).toMatchObject({ sku: 'api-15K-month', pending_change: null });
  });

  describe('if PayPal bills the next period early', () => {
    const hours = (after: number) => new Date(end.getTime() + after * HOUR_MS);

    beforeAll(() => {
      billing.simulator.paypal.subscriptions.earlyMs = 8 * HOUR_MS;
    });
    afterAll(() => {
      billing.simulator.paypal.subscriptions.earlyMs = 0;
    });

    it('the rights of a lower plan begin with its period, because the subscription is fetched then', async () => {
      await plan.agree((await plan.ask('change', { sku: 'api-5K-month' })).body.redirect_url);
      await plan.passTo(hours(-2));
      const paidThrough = addMonths(start, 2).toISOString();
      const before = { sku: 'api-15K-month', limits: { live: 40 }, paidThrough };
      expect((await plan.said()).states.at(-1)).toMatchObject(before);
      const ref = { processor: 'paypal', kind: 'subscription', id: plan.atPaypal().id } as const;
      const wanted = billing.get(WantedObjects);
      // A callback about the subscription in between causes a fetch at once, which does not replace the later fetch.
      await billing.database.transaction((transaction) => wanted.wantObject(transaction, ref));
      await billing.settle();
      const waits = `select extract(epoch from until - clock_timestamp())::float8 / 3600 as hours
        from work where name like 'paypal subscription ' || $1 || ' at %' order by 1`;
      expect(await billing.database.query(waits, [ref.id])).toEqual([
        { hours: expect.closeTo(2, 1) },
      ]);
      // Even if the clock is weeks ahead, the fetch is not delayed beyond the maximum for work.
      await billing.database.transaction((transaction) =>
        wanted.wantObjectAt(transaction, ref, addMonths(billing.clock.now(), 1)),
      );
      expect(await billing.database.query(waits, [ref.id])).toEqual([
        { hours: expect.closeTo(2, 1) },
        { hours: expect.closeTo(7 * 24, 1) },
      ]);
      await plan.passTo(hours(1));
      await billing
        .get(SyncService)
        .sync({ processor: 'paypal', kind: 'subscription', id: plan.atPaypal().id });
      const after = { sku: 'api-5K-month', limits: { live: 20 }, paidThrough };
      expect((await plan.said()).states.at(-1)).toMatchObject(after);
    });

    it('if the early payment fails, an upgrade of the last days keeps its rights until the end of its period', async () => {
      const { subscriptions } = billing.simulator.paypal;
      await plan.passTo(hours(-48));
      await plan.agree((await plan.ask('change', { sku: 'api-50K-month' })).body.redirect_url);
      subscriptions.setFunds('declines');
      await plan.passTo(hours(-2));
      expect((await plan.said()).states.at(-1)).toMatchObject({
        state: 'past_due',
        sku: 'api-50K-month',
      });
      await plan.passTo(hours(1));
      subscriptions.setFunds('works');
      expect((await plan.said()).states.at(-1)).toMatchObject({
        state: 'past_due',
        sku: 'api-15K-month',
        periodStart: end.toISOString(),
      });
    });

    it.each(['api-5K-month', 'api-50K-month'])(
      'a change to %s is rejected until that period has begun, because its price would apply one period too late',
      async (sku) => {
        await plan.passTo(hours(-2));
        expect(await plan.row()).toMatchObject({ paid_through: addMonths(start, 2).toISOString() });
        for (const step of ['preview', 'change']) {
          const refused = { status: 409, body: { code: 'plan_not_changeable' } };
          expect(await plan.ask(step, { sku })).toMatchObject(refused);
        }
        await plan.passTo(hours(1));
        expect((await plan.ask('preview', { sku })).status).toBe(200);
        await plan.agree((await plan.ask('change', { sku })).body.redirect_url);
        const isHigher = sku === 'api-50K-month';
        expect(await plan.row()).toMatchObject(
          isHigher ? { sku } : { sku: 'api-15K-month', pending_change: { sku } },
        );
      },
    );
  });
  it('a payment that cannot be read keeps the subscription set aside, even through a paid renewal, until the payment is refunded at PayPal', async () => {
    const { subscriptions, captures } = billing.simulator.paypal;
    const { id } = plan.atPaypal();
    const path = '/plan/billing_cycles/@sequence==1/pricing_scheme/fixed_price';
    const setPrice = (value: string) =>
      subscriptions.patch(id, [{ op: 'replace', path, value: { currency_code: 'USD', value } }]);
    const setAside = async () => {
      const { body } = await billing.call('GET', 'operator/set-aside', { caller: 'cli' });
      const own = (body as SetAsideMoney[]).filter((one) => one.accountId === accountId);
      return own.map(({ reason }) => reason);
    };
    setPrice('54.00');
    await plan.passTo(end);
    const [, unread] = subscriptions.salesFor(id);
    // It is fetched a few times, not without end.
    const [{ fetches }] = await billing.database.query<{ fetches: number }>(
      'select sync_no::int as fetches from processor_objects where external_id = $1',
      [unread],
    );
    expect(fetches).toBeLessThan(5);
    const marked = ['the bill has a different price'];
    expect(await setAside()).toEqual(marked);
    setPrice('27.00');
    await plan.said();
    await plan.passTo(addMonths(start, 2));
    expect((await plan.said()).payments).toMatchObject([{ amountMicros: '27000000' }]);
    expect(await setAside()).toEqual(marked);
    captures.refund(unread, {});
    await billing.settle();
    expect(await setAside()).toEqual([]);
    // The refund of a payment that was never stored is retried daily until the operator discards it.
    const failed = new FailedWork(billing.database);
    const [{ id: workId, name }] = await failed.list();
    expect([name, await failed.discard(workId)]).toEqual([expect.stringMatching('refund'), true]);
  });

  it('a refund at PayPal of the payment for a period is a reversal', async () => {
    await plan.said();
    const { world, captures } = billing.simulator.paypal;
    captures.refund(world.all('capture').at(-1)!.id, {});
    await billing.settle();
    const events = await billing.events(accountId);
    expect(events.map(({ type }) => type)).toContain('billing.payment-reversed');
  });

  it('a subscription that its customer ended at PayPal also ends here', async () => {
    billing.simulator.paypal.subscriptions.cancel(plan.atPaypal().id);
    await billing.settle();
    expect(await plan.row()).toMatchObject({ state: 'cancelled', paid_through: end.toISOString() });
  });

  it('the order of a plan fails if PayPal gives up its first payment', async () => {
    const body = { product: 'subscription', sku: 'api-15K-month', processor: 'paypal' };
    const call = { accountId: billing.newAccount(), body };
    const { body: order } = await billing.call('POST', 'orders', call);
    const { billing_info: info } = Object.assign(plan.atPaypal(), { status: 'SUSPENDED' });
    info.failed_payments_count = 3;
    await billing.pass(HOUR_MS / 6);
    await billing.runJob(OpenOrdersJob);
    expect(await billing.stateOf(call.accountId, order)).toBe('failed');
  });

  it('an upgrade is not captured once its subscription has ended at PayPal', async () => {
    const { world, subscriptions } = billing.simulator.paypal;
    const asked = await plan.ask('change', { sku: 'api-50K-month' });
    await agreeAtPaypal(asked.body.redirect_url, 'abandon');
    subscriptions.cancel(plan.atPaypal().id);
    await billing.settle();
    const ended = { state: 'cancelled', pending_change: null, unpaid_change: null };
    expect(await plan.row()).toMatchObject(ended);
    const order = world.all('order').at(-1)!;
    await pressButton(order.links.find(({ rel }) => rel === 'payer-action')!.href, 'pay');
    await billing.settle();
    expect(order.status).toBe('APPROVED');
    expect(await plan.row()).toMatchObject(ended);
  });

  it('the payment of an upgrade that PayPal approves after the end of the subscription is stored', async () => {
    const asked = await plan.ask('change', { sku: 'api-50K-month' });
    await agreeAtPaypal(asked.body.redirect_url, 'delayed');
    await billing.settle();
    billing.simulator.paypal.subscriptions.cancel(plan.atPaypal().id);
    await billing.settle();
    await plan.said();
    await billing.pass(3 * DAY_MS + HOUR_MS);
    await billing.retry();
    expect((await plan.said()).payments).toHaveLength(1);
    expect(await plan.row()).toMatchObject({ state: 'cancelled', unpaid_change: null });
    const waiting = `select name, reason from work where queue = 'processor-objects'`;
    expect(await billing.database.query(waiting)).toEqual([]);
  });
});
