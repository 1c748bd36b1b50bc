import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { OrderAnswer, PaymentConfirmed, SubscriptionChanged } from '#libs/contracts';
import { DAY_MS, HOUR_MS, addMonths } from '#libs/platform';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { SyncService } from '../processor-sync/sync.service.js';
import { WantedObjects } from '../processor-sync/wanted-objects.js';
import { agreeAtPaypal, pressButton } from '../../../../test/billing/hosted-page.js';

describe('subscriptions by PayPal', () => {
  let billing: BillingUnderTest;
  let accountId: string;
  let start: Date;
  let end: Date;
  let bought: OrderAnswer;
  let id: string;

  beforeAll(async () => {
    billing = await BillingUnderTest.start();
  });
  afterAll(() => billing.stop());
  afterEach(() => {
    expect(billing.logLines.splice(0)).toEqual([]);
  });

  const seenOf = new Map<string, number>();
  /** The announcements since the last call. */
  async function said(): Promise<{ payments: PaymentConfirmed[]; states: SubscriptionChanged[] }> {
    const events = await billing.events(accountId);
    const fresh = events.slice(seenOf.get(accountId) ?? 0);
    seenOf.set(accountId, events.length);
    const of = (type: string) =>
      fresh.filter((event) => event.type === type).map(({ data }) => data);
    return {
      payments: of('billing.payment-confirmed') as unknown as PaymentConfirmed[],
      states: of('billing.subscription-changed') as unknown as SubscriptionChanged[],
    };
  }

  /** A 15K API plan per month, bought now and known through callbacks alone. */
  beforeEach(async () => {
    accountId = billing.newAccount();
    start = billing.clock.now();
    end = addMonths(start, 1);
    const body = { product: 'subscription', sku: 'api-15K-month', processor: 'paypal' };
    bought = (await billing.call('POST', 'orders', { accountId, body })).body;
    await billing.act(bought, 'pay');
    const { body: listed } = await billing.call('GET', 'subscriptions', { accountId });
    ({ id } = listed.subscriptions[0]);
  });

  const atPaypal = () => billing.simulator.paypal.world.all('subscription').at(-1)!;
  const passTo = (time: Date) => billing.pass(time.getTime() - billing.clock.now().getTime());
  const row = async () => (await billing.call('GET', `subscriptions/${id}`, { accountId })).body;
  async function ask(action: string, body: object = {}) {
    const answer = await billing.call('POST', `subscriptions/${id}/${action}`, { accountId, body });
    await billing.settle();
    return answer;
  }
  async function agree(url: string): Promise<void> {
    await agreeAtPaypal(url);
    await billing.settle();
  }

  it('a paid checkout becomes a subscription whose first period is paid', async () => {
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

  it('a renewal is a payment without an order, and moves the paid time', async () => {
    await said();
    await passTo(end);
    const { payments, states } = await said();
    expect(payments).toHaveLength(1);
    expect(payments[0].orderId).toBeUndefined();
    expect(states.at(-1)).toMatchObject({
      periodStart: end.toISOString(),
      paidThrough: addMonths(start, 2).toISOString(),
    });
  });

  it('a renewal that fails keeps the paid time, and its late payment moves it', async () => {
    await said();
    billing.simulator.paypal.subscriptions.setFunds('declines');
    await passTo(end);
    expect(await row()).toMatchObject({ state: 'past_due', paid_through: end.toISOString() });
    billing.simulator.paypal.subscriptions.setFunds('works');
    await billing.pass(5 * DAY_MS);
    const paidThrough = addMonths(start, 2).toISOString();
    expect(await row()).toMatchObject({ state: 'active', paid_through: paidThrough });
    expect((await said()).payments).toHaveLength(1);
  });

  it('an upgrade is accepted and paid at PayPal, for the amount of its preview', async () => {
    await said();
    await billing.pass(10 * DAY_MS);
    const preview = await ask('preview', { sku: 'api-50K-month' });
    const { from, due_micros: due } = preview.body;
    const changed = await ask('change', { sku: 'api-50K-month', from });
    expect(changed.body.subscription).toMatchObject({ sku: 'api-15K-month', pending_change: null });
    expect((await said()).payments).toEqual([]);
    await agree(changed.body.redirect_url);
    const { payments, states } = await said();
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
    await passTo(end);
    expect((await said()).payments).toMatchObject([{ amountMicros: '75000000' }]);
    expect(await billing.stateOf(accountId, bought)).toBe('paid');
  });

  it('S50: the minutes before a renewal do not set the price of the next period', async () => {
    await passTo(end);
    await billing.pass(HOUR_MS / 12);
    await said();
    const from = new Date(end.getTime() - HOUR_MS / 60).toISOString();
    const refused = await ask('change', { sku: 'api-50K-month', from });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ field: 'from' }] } });
    expect(await said()).toEqual({ payments: [], states: [] });
  });

  it.each([
    ['at once', 'the first first'],
    ['in sequence', 'the first first'],
    ['in sequence', 'the last first'],
  ])(
    'S51: one of two accepted upgrades, requested %s and %s, is paid and in force',
    async (asked, order) => {
      await said();
      const change = (sku: string) => ask('change', { sku });
      const wanted = ['api-150K-month', 'api-50K-month'];
      const answers =
        asked === 'at once'
          ? await Promise.all(wanted.map(change))
          : [await change(wanted[0]), await change(wanted[1])];
      const pages = answers.filter(({ status }) => status === 200);
      expect(pages.length).toBeGreaterThan(0);
      for (const { status } of answers) expect([200, 409]).toContain(status);
      for (const { body } of order === 'the last first' ? pages.toReversed() : pages) {
        await agree(body.redirect_url);
      }
      const { payments, states } = await said();
      const [{ sku }] = payments[0].lines;
      expect(payments).toHaveLength(1);
      expect(states.at(-1)).toMatchObject({ sku });
      const captured = billing.simulator.paypal.world
        .all('capture')
        .filter(({ custom_id: mark = '' }) => mark.includes(atPaypal().id));
      expect(captured.map(({ status }) => status)).toEqual(['COMPLETED']);
    },
  );

  it('an accepted upgrade that was never paid takes no money and begins with the next period', async () => {
    await said();
    const { body } = await ask('change', { sku: 'api-50K-month' });
    const payPage = new URL(await pressButton(body.redirect_url, 'agree' as 'pay'));
    expect(payPage.pathname).toContain('/checkoutnow/');
    await billing.settle();
    expect(await row()).toMatchObject({
      sku: 'api-15K-month',
      pending_change: { sku: 'api-50K-month' },
    });
    await billing.pass(DAY_MS);
    expect((await said()).payments).toEqual([]);
    await passTo(end);
    // If it is approved when it no longer pays for anything, the order is not captured.
    payPage.search = '';
    await pressButton(payPage.href, 'pay');
    await billing.settle();
    const { payments } = await said();
    expect(payments).toMatchObject([{ amountMicros: '75000000' }]);
    expect(await row()).toMatchObject({ sku: 'api-50K-month', pending_change: null });
  });

  it('an upgrade paid before it is accepted takes no money either', async () => {
    await said();
    const { orders, world } = billing.simulator.paypal;
    await ask('change', { sku: 'api-50K-month' });
    orders.approve(world.all('order').at(-1)!.id, 'pays');
    await billing.settle();
    expect((await said()).payments).toEqual([]);
    expect(world.all('order').at(-1)!.status).toBe('APPROVED');
    expect(await row()).toMatchObject({ sku: 'api-15K-month', pending_change: null });
  });

  it('a cancelled subscription is suspended, and can be resumed until its period ends', async () => {
    expect((await ask('cancel')).body.subscription).toMatchObject({
      state: 'active',
      cancel_at: end.toISOString(),
    });
    expect(atPaypal().status).toBe('SUSPENDED');
    expect((await ask('undo')).body.subscription).toMatchObject({ cancel_at: null });
    expect(atPaypal().status).toBe('ACTIVE');
    await passTo(end);
    expect(await row()).toMatchObject({ state: 'active', period_start: end.toISOString() });
  });

  it('a cancelled subscription ends at PayPal with its period, and another can be bought', async () => {
    await ask('cancel');
    await said();
    await passTo(new Date(end.getTime() + HOUR_MS));
    await billing.follow();
    expect(atPaypal().status).toBe('CANCELLED');
    expect(await row()).toMatchObject({ state: 'cancelled', is_current: false });
    expect((await said()).payments).toEqual([]);
    const body = { product: 'subscription', sku: 'api-5K-month', processor: 'paypal' };
    expect((await billing.call('POST', 'orders', { accountId, body })).status).toBe(201);
  });

  it('one that is cancelled while its renewal is overdue ends at once, and another can be bought', async () => {
    const { subscriptions } = billing.simulator.paypal;
    subscriptions.setFunds('declines');
    await passTo(new Date(end.getTime() + HOUR_MS));
    subscriptions.setFunds('works');
    expect((await ask('cancel')).body.subscription).toMatchObject({
      state: 'cancelled',
      cancel_at: null,
      paid_through: end.toISOString(),
      is_current: false,
    });
    expect(atPaypal().status).toBe('CANCELLED');
    const body = { product: 'subscription', sku: 'api-5K-month', processor: 'paypal' };
    expect((await billing.call('POST', 'orders', { accountId, body })).status).toBe(201);
  });

  it('one that its operator paused at PayPal is not resumed by undoing', async () => {
    billing.simulator.paypal.subscriptions.suspend(atPaypal().id);
    await billing.settle();
    expect(await row()).toMatchObject({ state: 'paused' });
    expect((await ask('undo')).status).toBe(422);
    expect(atPaypal().status).toBe('SUSPENDED');
  });

  it('one that its operator paused at PayPal ends when it is cancelled, so that PayPal cannot bill it again', async () => {
    billing.simulator.paypal.subscriptions.suspend(atPaypal().id);
    await billing.settle();
    const ended = { state: 'cancelled', paid_through: end.toISOString(), is_current: false };
    expect((await ask('cancel')).body.subscription).toMatchObject(ended);
    expect(atPaypal().status).toBe('CANCELLED');
  });

  it('one that PayPal suspended as unpaid ends with its account, and PayPal is asked about it no more', async () => {
    const { api, subscriptions } = billing.simulator.paypal;
    subscriptions.setFunds('declines');
    await passTo(new Date(end.getTime() + HOUR_MS));
    for (let attempt = 0; attempt < 3; attempt += 1) await billing.pass(5 * DAY_MS);
    subscriptions.setFunds('works');
    expect(await row()).toMatchObject({ state: 'unpaid' });
    await billing.deliver('deleted', accountId);
    await billing.follow();
    await billing.settle();
    const before = api.calls;
    await billing.follow();
    expect(api.calls).toBe(before);
    expect(await row()).toMatchObject({ state: 'cancelled' });
  });

  it('a downgrade is accepted, waits for the end of the period, and is withdrawn where it was accepted', async () => {
    const lower = await ask('change', { sku: 'api-5K-month' });
    expect(lower.body.subscription.pending_change).toBeNull();
    await agree(lower.body.redirect_url);
    expect(await row()).toMatchObject({ pending_change: { sku: 'api-5K-month' } });
    const undone = await ask('undo');
    expect(undone.body.redirect_url).toContain('/revise/');
    await agree(undone.body.redirect_url);
    expect(await row()).toMatchObject({ sku: 'api-15K-month', pending_change: null });
  });

  it('a cancellation is undone at once, and an accepted downgrade keeps waiting', async () => {
    const lower = await ask('change', { sku: 'api-5K-month' });
    await agree(lower.body.redirect_url);
    await ask('cancel');
    const undone = await ask('undo');
    expect(undone.body).toMatchObject({
      subscription: { cancel_at: null, pending_change: { sku: 'api-5K-month' } },
      redirect_url: null,
    });
    expect(atPaypal().status).toBe('ACTIVE');
    await passTo(end);
    expect(await row()).toMatchObject({ state: 'active', sku: 'api-5K-month' });
  });

  describe('if PayPal bills the next period early', () => {
    const hours = (after: number) => new Date(end.getTime() + after * HOUR_MS);

    beforeAll(() => {
      billing.simulator.paypal.subscriptions.earlyMs = 8 * HOUR_MS;
    });
    afterAll(() => {
      billing.simulator.paypal.subscriptions.earlyMs = 0;
    });

    it('the rights of a lower plan begin with its period, and the subscription is fetched then', async () => {
      await agree((await ask('change', { sku: 'api-5K-month' })).body.redirect_url);
      await passTo(hours(-2));
      const paidThrough = addMonths(start, 2).toISOString();
      const before = { sku: 'api-15K-month', limits: { live: 40 }, paidThrough };
      expect((await said()).states.at(-1)).toMatchObject(before);
      const ref = { processor: 'paypal', kind: 'subscription', id: atPaypal().id } as const;
      const wanted = billing.get(WantedObjects);
      // News of the subscription in between is fetched at once, and does not take the place of the later fetch.
      await billing.database.transaction((transaction) => wanted.wantObject(transaction, ref));
      await billing.settle();
      const waits = `select extract(epoch from until - clock_timestamp())::float8 / 3600 as hours
        from work where name like 'paypal subscription ' || $1 || ' at %' order by 1`;
      expect(await billing.database.query(waits, [ref.id])).toEqual([
        { hours: expect.closeTo(2, 1) },
      ]);
      // If the clock is weeks ahead, the fetch is still not delayed beyond the maximum for work.
      await billing.database.transaction((transaction) =>
        wanted.wantObjectAt(transaction, ref, addMonths(billing.clock.now(), 1)),
      );
      expect(await billing.database.query(waits, [ref.id])).toEqual([
        { hours: expect.closeTo(2, 1) },
        { hours: expect.closeTo(7 * 24, 1) },
      ]);
      await passTo(hours(1));
      await billing
        .get(SyncService)
        .sync({ processor: 'paypal', kind: 'subscription', id: atPaypal().id });
      const after = { sku: 'api-5K-month', limits: { live: 20 }, paidThrough };
      expect((await said()).states.at(-1)).toMatchObject(after);
    });

    it('a cancellation after the payment can be undone', async () => {
      await passTo(hours(-2));
      await ask('cancel');
      expect((await ask('undo')).body.subscription).toMatchObject({ cancel_at: null });
      expect(atPaypal().status).toBe('ACTIVE');
    });

    it('a cancellation cannot be undone once PayPal has skipped the next period', async () => {
      await ask('cancel');
      await passTo(hours(-9));
      expect((await ask('undo')).body.subscription).toMatchObject({ cancel_at: null });
      await ask('cancel');
      await passTo(hours(-2));
      expect((await ask('undo')).status).toBe(422);
      expect(atPaypal().status).toBe('SUSPENDED');
      expect(await row()).toMatchObject({ cancel_at: end.toISOString() });
    });

    it.each([
      ['passed over: it is cancelled again', -2, 'SUSPENDED'],
      ['not billed yet: it is undone', -9, 'ACTIVE'],
    ])(
      'an undoing that was interrupted is completed by news; the next period is %s',
      async (_, at, status) => {
        await ask('cancel');
        await passTo(hours(at));
        // Billing died after the activation.
        const { subscriptions } = billing.simulator.paypal;
        const { id: agreement, custom_id: mark = '' } = atPaypal();
        subscriptions.patch(agreement, [
          { op: 'replace', path: '/custom_id', value: mark.replace(',e,', ',u,') },
        ]);
        subscriptions.activate(agreement);
        await billing.settle();
        expect(atPaypal().status).toBe(status);
        const isUndone = status === 'ACTIVE';
        expect(await row()).toMatchObject({ cancel_at: isUndone ? null : end.toISOString() });
        expect((await ask('undo')).status).toBe(isUndone ? 200 : 422);
        await passTo(hours(1));
        await billing.follow();
        expect(await row()).toMatchObject({
          state: isUndone ? 'active' : 'cancelled',
          paid_through: addMonths(start, isUndone ? 2 : 1).toISOString(),
        });
      },
    );

    it.each(['api-5K-month', 'api-50K-month'])(
      'a change to %s is refused until that period has begun, because it would come without its price',
      async (sku) => {
        await passTo(hours(-2));
        expect(await row()).toMatchObject({ paid_through: addMonths(start, 2).toISOString() });
        for (const step of ['preview', 'change']) {
          const refused = { status: 409, body: { code: 'plan_not_changeable' } };
          expect(await ask(step, { sku })).toMatchObject(refused);
        }
        await passTo(hours(1));
        expect((await ask('preview', { sku })).status).toBe(200);
        await agree((await ask('change', { sku })).body.redirect_url);
        const isHigher = sku === 'api-50K-month';
        expect(await row()).toMatchObject(
          isHigher ? { sku } : { sku: 'api-15K-month', pending_change: { sku } },
        );
      },
    );
  });

  it('a refund of a period’s payment made at PayPal is a reversal', async () => {
    await said();
    const { world, captures } = billing.simulator.paypal;
    captures.refund(world.all('capture').at(-1)!.id, {});
    await billing.settle();
    const events = await billing.events(accountId);
    expect(events.map(({ type }) => type)).toContain('billing.payment-reversed');
  });

  it('a subscription that its customer ended at PayPal has ended here', async () => {
    billing.simulator.paypal.subscriptions.cancel(atPaypal().id);
    await billing.settle();
    expect(await row()).toMatchObject({ state: 'cancelled', paid_through: end.toISOString() });
  });

  it('an upgrade is not captured any more once its subscription has ended at PayPal', async () => {
    const { world, subscriptions } = billing.simulator.paypal;
    const asked = await ask('change', { sku: 'api-50K-month' });
    await agreeAtPaypal(asked.body.redirect_url, 'abandon');
    subscriptions.cancel(atPaypal().id);
    await billing.settle();
    const ended = { state: 'cancelled', pending_change: null, unpaid_change: null };
    expect(await row()).toMatchObject(ended);
    const order = world.all('order').at(-1)!;
    await pressButton(order.links.find(({ rel }) => rel === 'payer-action')!.href, 'pay');
    await billing.settle();
    expect(order.status).toBe('APPROVED');
    expect(await row()).toMatchObject(ended);
  });

  it('an upgrade that PayPal approves after the end of its subscription is stored', async () => {
    const asked = await ask('change', { sku: 'api-50K-month' });
    await agreeAtPaypal(asked.body.redirect_url, 'delayed');
    await billing.settle();
    billing.simulator.paypal.subscriptions.cancel(atPaypal().id);
    await billing.settle();
    await said();
    await billing.pass(3 * DAY_MS + HOUR_MS);
    await billing.retry();
    expect((await said()).payments).toHaveLength(1);
    expect(await row()).toMatchObject({ state: 'cancelled', unpaid_change: null });
    const waiting = `select name, reason from work where queue = 'processor-objects'`;
    expect(await billing.database.query(waiting)).toEqual([]);
  });
});
