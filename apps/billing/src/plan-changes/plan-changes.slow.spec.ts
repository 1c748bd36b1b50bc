import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { PaymentConfirmed, SubscriptionChanged } from '#libs/contracts';
import { DAY_MS, HOUR_MS, MINUTE_MS, addMonths } from '#libs/platform';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { BOTH, type ProcessorSide, sideOf } from '../../../../test/billing/sides/side-of.js';
import { SubscriptionsRepository } from '../subscriptions/subscriptions.repository.js';

const CREDITS_OF = { 'api-15K-month': 15_000, 'api-50K-month': 50_000, 'api-150K-month': 150_000 };

const addedBy = (payments: readonly PaymentConfirmed[]) =>
  payments
    .flatMap(({ lines }) => lines as unknown as { monthlyCredits: string }[])
    .reduce((sum, { monthlyCredits }) => sum + Number(monthlyCredits), 0);

describe.each(BOTH)('plan changes at %s', (processor) => {
  let billing: BillingUnderTest;
  let side: ProcessorSide;
  let accountId: string;
  let start: Date;
  let id: string;

  beforeAll(async () => {
    billing = await BillingUnderTest.start();
    side = sideOf(billing, processor);
  });
  afterAll(() => billing.stop());
  afterEach(() => {
    expect(billing.logLines.splice(0)).toEqual([]);
  });

  beforeEach(async () => {
    start = billing.clock.now();
    ({ accountId, id } = await subscribed());
    await said();
  });

  async function subscribed(): Promise<{ accountId: string; id: string }> {
    const account = { accountId: billing.newAccount() };
    const body = { product: 'subscription', sku: 'api-15K-month', processor };
    const ordered = await billing.call('POST', 'orders', { ...account, body });
    await billing.act(ordered.body, 'pay');
    const { body: listed } = await billing.call('GET', 'subscriptions', account);
    return { ...account, id: listed.subscriptions[0].id };
  }

  async function ask(action: string, body: object = {}) {
    const answer = await billing.call('POST', `subscriptions/${id}/${action}`, { accountId, body });
    await billing.settle();
    return answer;
  }

  /** Makes or withdraws a change; at PayPal, the customer approves this on a page. */
  async function agreed(action: 'change' | 'undo', wish: object = {}): Promise<void> {
    const { status, body } = await ask(action, wish);
    expect([action, wish, status]).toEqual([action, wish, 200]);
    if (body.redirect_url) await side.agree(body.redirect_url);
    await billing.settle();
  }
  const change = (sku: string) => agreed('change', { sku });
  const row = async () => (await billing.call('GET', `subscriptions/${id}`, { accountId })).body;

  const seenOf = new Map<string, number>();
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

  const passTo = (time: Date) => billing.pass(time.getTime() - billing.clock.now().getTime());

  it('S51: a simultaneous upgrade never cancels an upgrade that is already paid', async () => {
    const bills = billing.simulator.world.all('invoice').length;
    const wish = (sku: string) =>
      billing.call('POST', `subscriptions/${id}/change`, { accountId, body: { sku } });
    const answers = await Promise.all(['api-150K-month', 'api-50K-month'].map(wish));
    await billing.settle();
    const statuses = answers.map(({ status }) => status);
    expect(statuses).toContain(200);
    for (const status of statuses) expect([200, 409]).toContain(status);
    for (const { body } of answers) if (body.redirect_url) await side.agree(body.redirect_url);
    await billing.settle();
    const totals = billing.simulator.world.all('invoice').slice(bills);
    expect(totals.filter(({ total }) => Number(total) < 0)).toEqual([]);
    const { payments } = await said();
    const { sku } = await row();
    expect(payments.at(-1)?.lines.at(-1)?.sku).toBe(sku);
    expect(15_000 + addedBy(payments)).toBe(CREDITS_OF[sku as keyof typeof CREDITS_OF]);
  });

  it('when many customers cancel their plans at once, no cancellation is rejected', async () => {
    const all = [{ accountId, id }];
    while (all.length < 5) all.push(await subscribed());
    const cancel = (own: { accountId: string; id: string }) =>
      billing.call('POST', `subscriptions/${own.id}/cancel`, { accountId: own.accountId });
    const answers = await Promise.all(all.map(cancel));
    await billing.settle();
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  });

  it('a downgrade waits for the end of the period, and can be undone until then', async () => {
    expect((await ask('preview', { sku: 'api-5K-month' })).body).toMatchObject({
      effect: 'period_end',
      due_micros: '0',
    });
    await change('api-5K-month');
    const at = addMonths(start, 1).toISOString();
    expect(await row()).toMatchObject({
      sku: 'api-15K-month',
      pending_change: { sku: 'api-5K-month', quantity: 1, at },
    });
    await agreed('undo');
    expect(await row()).toMatchObject({ pending_change: null });
    await change('api-5K-month');
    await said();
    await passTo(addMonths(start, 1));
    const { payments, states } = await said();
    expect(payments).toMatchObject([
      { amountMicros: '10000000', lines: [{ sku: 'api-5K-month' }] },
    ]);
    expect(states.at(-1)).toMatchObject({ sku: 'api-5K-month', limits: { live: 20 } });
  });

  it('an upgrade replaces a pending downgrade, and its preview says so', async () => {
    await change('api-5K-month');
    await billing.pass(10 * DAY_MS);
    const preview = await ask('preview', { sku: 'api-50K-month' });
    expect(preview.body.drops_change).toMatchObject({ sku: 'api-5K-month', quantity: 1 });
    await change('api-50K-month');
    expect(await row()).toMatchObject({ sku: 'api-50K-month', pending_change: null });
    await said();
    await passTo(addMonths(start, 1));
    expect((await said()).payments).toMatchObject([
      { amountMicros: '75000000', lines: [{ sku: 'api-50K-month' }] },
    ]);
  });

  it('a change of interval also waits for the end of the period', async () => {
    await change('api-50K-year');
    expect((await said()).payments).toEqual([]);
    const turn = addMonths(start, 1);
    await passTo(turn);
    const { payments } = await said();
    expect(payments).toMatchObject([
      {
        amountMicros: '747000000',
        lines: [
          {
            kind: 'subscription',
            interval: 'year',
            periodEnd: addMonths(turn, 12).toISOString(),
            monthlyCredits: '50000',
          },
        ],
      },
    ]);
  });

  it('a cancelled subscription runs to the end of its paid period, and can be resumed until then', async () => {
    const end = addMonths(start, 1).toISOString();
    expect((await ask('cancel')).body.subscription).toMatchObject({
      cancel_at: end,
      is_current: true,
    });
    expect((await said()).states.at(-1)).toMatchObject({ state: 'active', cancelAt: end });
    expect(await ask('change', { sku: 'api-50K-month' })).toMatchObject({ status: 409 });
    expect((await ask('undo')).body.subscription).toMatchObject({ cancel_at: null });
    await ask('cancel');
    await said();
    await passTo(new Date(addMonths(start, 1).getTime() + HOUR_MS));
    await billing.follow();
    const { payments, states } = await said();
    expect(payments).toEqual([]);
    expect(states.at(-1)).toMatchObject({ state: 'cancelled', paidThrough: end });
    expect(await ask('undo')).toMatchObject({ status: 409, body: { code: 'plan_not_changeable' } });
  });

  it('undoing a cancellation restores the change that waited for the end of the period', async () => {
    await change('api-5K-month');
    await ask('cancel');
    // A repeated cancellation must not lose the change that the first cancellation dropped.
    await ask('cancel');
    const back = { cancel_at: null, pending_change: { sku: 'api-5K-month', quantity: 1 } };
    expect((await ask('undo')).body.subscription).toMatchObject(back);
    await agreed('undo');
    // A change that was undone is not restored again.
    expect((await ask('undo')).body.subscription).toMatchObject({ pending_change: null });
    await ask('cancel');
    expect((await ask('undo')).body.subscription).toMatchObject({ pending_change: null });
  });

  it('after a simultaneous cancellation and resumption, billing and the processor agree on a state that was requested', async () => {
    for (let round = 0; round < 6; round += 1) {
      const wishes = round % 2 === 0 ? ['cancel', 'undo'] : ['undo', 'cancel', 'undo'];
      const answers = await Promise.all(wishes.map((wish) => ask(wish)));
      const taken = answers.filter(({ status }) => status === 200);
      expect(taken.length).toBeGreaterThan(0);
      for (const { status, body } of answers) {
        expect(status === 200 ? 'taken' : body.code).toMatch(/^(taken|plan_not_changeable)$/);
      }
      const { cancel_at: cancelAt } = await row();
      expect(taken.map(({ body }) => body.subscription.cancel_at)).toContain(cancelAt);
      expect(cancelAt !== null).toBe(await side.isEnding(accountId));
    }
  });

  it('while a change is running, other changes are rejected without a call to the processor', async () => {
    const statuses = async () => {
      const before = side.calls();
      const found: [string, number, number][] = [];
      for (const [wish, body] of [
        ['cancel', {}],
        ['undo', {}],
        ['change', { sku: 'api-50K-month' }],
      ] as const) {
        const { status } = await ask(wish, body);
        found.push([wish, status, side.calls() - before]);
      }
      return found;
    };
    await billing.database.transaction(async (transaction) => {
      await billing.get(SubscriptionsRepository).tryLock(transaction, accountId, id);
      expect(await statuses()).toEqual([
        ['cancel', 409, 0],
        ['undo', 409, 0],
        ['change', 409, 0],
      ]);
    });
    expect((await statuses()).map(([, status]) => status)).toEqual([200, 200, 200]);
  });

  it('a plan changes only in a paid period, and only to a permitted plan', async () => {
    expect(await ask('change', { sku: 'api-15K-month' })).toMatchObject({ status: 409 });
    expect(await ask('change', { sku: 'domainer-all-month' })).toMatchObject({ status: 400 });
    expect(await ask('change', { sku: 'api-50K-month', quantity: 2 })).toMatchObject({
      status: 400,
    });
    const old = new Date(billing.clock.now().getTime() - HOUR_MS).toISOString();
    expect(await ask('change', { sku: 'api-50K-month', from: old })).toMatchObject({ status: 400 });
    await side.setFunds(accountId, 'declines');
    await passTo(addMonths(start, 1));
    expect(await ask('change', { sku: 'api-50K-month' })).toMatchObject({
      status: 409,
      body: { code: 'period_not_paid', detail: expect.stringContaining('If its payment failed') },
    });
    await side.setFunds(accountId, 'works');
    if (processor === 'stripe') {
      const page = await ask('payment-details');
      expect(page.body.redirect_url).toContain('/stripe/invoice/');
      await fetch(`${page.body.redirect_url}/pay`, { method: 'POST' });
      await billing.settle();
    } else await billing.pass(5 * DAY_MS);
    expect((await said()).states.at(-1)).toMatchObject({ state: 'active' });
    expect(await ask('change', { sku: 'api-50K-month' })).toMatchObject({ status: 200 });
  });

  it('S85: a subscription of another account is not found', async () => {
    const stranger = { accountId: billing.newAccount(), body: { sku: 'api-5K-month' } };
    for (const action of ['preview', 'change']) {
      const answer = await billing.call('POST', `subscriptions/${id}/${action}`, stranger);
      expect([action, answer.status]).toEqual([action, 404]);
    }
    for (const action of ['cancel', 'undo', 'payment-details']) {
      const { accountId: other } = stranger;
      const answer = await billing.call('POST', `subscriptions/${id}/${action}`, {
        accountId: other,
      });
      expect([action, answer.status]).toEqual([action, 404]);
    }
  });

  // `paypal-subscriptions.slow.spec.ts` tests PayPal's different behaviour.
  if (processor === 'stripe') {
    const card = (behaviour: 'works' | 'asks') => {
      const [{ customer }] = billing.simulator.world.all('subscription');
      billing.simulator.invoices.setCard(customer as string, behaviour);
    };

    it.each([
      ['a minute after the start: the whole difference, all of the credits', MINUTE_MS, true],
      [
        'an hour after the start: a part of the difference, the rest of the credits',
        HOUR_MS,
        false,
      ],
    ])('an upgrade %s', async (_, afterMs, isWhole) => {
      await billing.pass(afterMs);
      await ask('change', { sku: 'api-50K-month' });
      const { payments } = await said();
      const [{ amountMicros, lines }] = payments;
      expect(amountMicros === '48000000').toBe(isWhole);
      const [{ from, periodStart }] = lines as unknown as Record<'from' | 'periodStart', string>[];
      expect(from === periodStart).toBe(isWhole);
    });

    it('an upgrade costs what its preview said, and grants the difference for the rest of the period', async () => {
      await billing.pass(10 * DAY_MS);
      const preview = await ask('preview', { sku: 'api-50K-month' });
      expect(preview).toMatchObject({ status: 200, body: { effect: 'now', currency: 'USD' } });
      await billing.pass(HOUR_MS / 6);
      const { from, due_micros: due } = preview.body;
      const changed = await ask('change', { sku: 'api-50K-month', from });
      expect(changed).toMatchObject({
        body: { redirect_url: null, subscription: { sku: 'api-50K-month' } },
      });
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
              periodEnd: addMonths(start, 1).toISOString(),
              from,
            }),
          ],
        }),
      ]);
      expect(states.at(-1)).toMatchObject({ sku: 'api-50K-month', limits: { live: 80 } });
      // The price of 21 of 31 days, at 48 dollars a month.
      expect(Number(due) / 1e6).toBeCloseTo((48 * 21) / 31, 0);
    });

    it('rights increase when an upgrade is paid, not before, and not at all if it is abandoned', async () => {
      card('asks');
      const asked = await ask('change', { sku: 'api-50K-month' });
      expect(asked.body).toMatchObject({ subscription: { sku: 'api-15K-month' } });
      expect((await said()).payments).toEqual([]);
      await fetch(`${asked.body.redirect_url}/pay`, { method: 'POST' });
      await billing.settle();
      expect((await said()).states.at(-1)).toMatchObject({ sku: 'api-50K-month' });
      const left = await ask('change', { sku: 'api-150K-month' });
      expect(left.body.redirect_url).toContain('/stripe/invoice/');
      await billing.pass(24 * HOUR_MS);
      expect((await said()).payments).toEqual([]);
      const { body } = await billing.call('GET', `subscriptions/${id}`, { accountId });
      expect(body).toMatchObject({ sku: 'api-50K-month' });
      card('works');
    });

    it('an upgrade whose answer is lost is reported as possibly made, and is paid once', async () => {
      await said();
      billing.simulator.apiFaults.lostAnswers = Infinity;
      const lost = await ask('change', { sku: 'api-150K-month' });
      billing.simulator.apiFaults.lostAnswers = 0;
      expect(lost).toMatchObject({ status: 503, body: { code: 'processor_unavailable' } });
      expect(lost.body.detail).toContain('not known whether the change was made');
      const again = await ask('change', { sku: 'api-150K-month' });
      expect(again.body.code).toBe('plan_not_changeable');
      const { payments, states } = await said();
      expect(payments).toHaveLength(1);
      expect(states.at(-1)).toMatchObject({ sku: 'api-150K-month' });
    });
  }
});
