import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { SubscriptionAnswer } from '#libs/contracts';
import { DAY_MS, addMonths, newId } from '#libs/platform';
import { BillingUnderTest } from '../../../../../test/billing/billing-under-test.js';

describe('subscriptions at Stripe', () => {
  let billing: BillingUnderTest;
  let accountId: string;
  let id: string;
  let end: Date;

  beforeAll(async () => {
    billing = await BillingUnderTest.start();
  });
  afterAll(() => billing.stop());

  beforeEach(async () => {
    end = addMonths(billing.clock.now(), 1);
    accountId = billing.newAccount();
    await buy('api-15K-month');
    const { body: listed } = await billing.call('GET', 'subscriptions', { accountId });
    ({ id } = listed.subscriptions[0]);
  });
  afterEach(() => {
    expect(billing.logLines.splice(0)).toEqual([]);
  });

  async function buy(sku: string): Promise<void> {
    const body = { product: 'subscription', sku, processor: 'stripe' };
    await billing.act((await billing.call('POST', 'orders', { accountId, body })).body, 'pay');
  }
  /** The latest subscription at Stripe. */
  const there = () => billing.simulator.world.all('subscription')[0];
  const defaultCard = () => {
    const { invoice_settings: settings } = billing.simulator.world.get(
      'customer',
      there().customer,
    );
    return settings.default_payment_method;
  };
  async function ask(action: string, body: object = {}) {
    const answer = await billing.call('POST', `subscriptions/${id}/${action}`, { accountId, body });
    await billing.settle();
    return answer;
  }
  async function now(): Promise<SubscriptionAnswer> {
    await billing.settle();
    return (await billing.call('GET', `subscriptions/${id}`, { accountId })).body;
  }
  const passTo = (time: Date) => billing.pass(time.getTime() - billing.clock.now().getTime());

  const card = (behaviour: 'works' | 'declines') =>
    billing.simulator.invoices.setCard(there().customer as string, behaviour);
  const press = (page: string, button: string) => fetch(`${page}/${button}`, { method: 'POST' });

  it('a new card pays for the next period, although the checkout gave the plan its own card', async () => {
    card('declines');
    const { redirect_url: page } = (await ask('payment-details')).body;
    await press(page, 'card-works');
    await passTo(end);
    expect(await now()).toMatchObject({
      state: 'active',
      paid_through: addMonths(end, 1).toISOString(),
    });
  });

  it('an overdue plan is paid on the page of its bill, and its new card pays for the next period, too', async () => {
    card('declines');
    await passTo(end);
    expect(await now()).toMatchObject({ state: 'past_due' });
    const { redirect_url: page } = (await ask('payment-details')).body;
    await press(page, 'pay');
    expect(await now()).toMatchObject({
      state: 'active',
      paid_through: addMonths(end, 1).toISOString(),
    });
    await passTo(addMonths(end, 1));
    expect(await now()).toMatchObject({ paid_through: addMonths(end, 2).toISOString() });
  });

  it('an overdue plan that was cancelled works for the period whose bill is paid later', async () => {
    card('declines');
    await passTo(end);
    const { redirect_url: page } = (await ask('payment-details')).body;
    await ask('cancel');
    expect(await now()).toMatchObject({ state: 'cancelled' });
    await press(page, 'pay');
    expect(await now()).toMatchObject({
      state: 'cancelled',
      paid_through: addMonths(end, 1).toISOString(),
    });
  });

  it('a customer who only opens the page for another card keeps paying with the same card', async () => {
    const own = there().default_payment_method;
    await ask('payment-details');
    await ask('payment-details');
    expect(defaultCard()).toBe(own);
    expect(there().default_payment_method).toBeNull();
  });

  it('the same card keeps paying, although an earlier plan left the customer another default card', async () => {
    billing.simulator.invoices.replaceCard(there().customer as string, 'declines');
    await ask('payment-details');
    await passTo(end);
    expect(await now()).toMatchObject({ state: 'active' });
  });

  it('a waiting downgrade is paid with the card of the plan, which a schedule takes away', async () => {
    billing.simulator.invoices.replaceCard(there().customer as string, 'declines');
    await ask('change', { sku: 'api-5K-month' });
    await passTo(end);
    expect(await now()).toMatchObject({ state: 'active', sku: 'api-5K-month' });
    await ask('change', { sku: 'api-15K-month' });
    expect(await now()).toMatchObject({ sku: 'api-15K-month', unpaid_change: null });
  });

  it('a waiting downgrade leaves the plan and the customer with the cards that they have', async () => {
    billing.simulator.invoices.replaceCard(there().customer as string, 'works');
    const cards = [there().default_payment_method, defaultCard()];
    expect(new Set(cards).size).toBe(2);
    await ask('change', { sku: 'api-5K-month' });
    expect([there().default_payment_method, defaultCard()]).toEqual(cards);
  });

  it('a plan keeps its card when an upgrade is refunded while a downgrade is waiting', async () => {
    const own = there().default_payment_method;
    await ask('change', { sku: 'api-50K-month' });
    await ask('change', { sku: 'api-5K-month' });
    const latest = 'select id from payments where account_id = $1 order by id desc limit 1';
    const [{ id: paymentId }] = await billing.database.query<{ id: string }>(latest, [accountId]);
    const body = { refundId: newId(), paymentId, scope: 'whole', reason: 'asked for it' };
    await billing.call('POST', 'operator/refunds', { accountId, caller: 'cli', body });
    await billing.follow();
    expect(await now()).toMatchObject({
      sku: 'api-15K-month',
      pending_change: { sku: 'api-5K-month' },
    });
    expect(there().default_payment_method).toBe(own);
  });

  it('a new card also pays for a downgrade that is waiting', async () => {
    card('declines');
    await ask('change', { sku: 'api-5K-month' });
    const { redirect_url: page } = (await ask('payment-details')).body;
    await press(page, 'card-works');
    await passTo(end);
    expect(await now()).toMatchObject({ state: 'active', sku: 'api-5K-month' });
  });

  it('a customer who opens the page for the card of one plan keeps paying for another plan with its card', async () => {
    const first = there();
    await ask('change', { sku: 'api-5K-month' });
    const { redirect_url: page } = (await ask('payment-details')).body;
    await press(page, 'card-works');
    const cardOfFirst = defaultCard();
    expect(first.default_payment_method).toBeNull();
    await buy('domainer-names-month');
    const cardOfSecond = there().default_payment_method;
    const { body } = await billing.call('GET', 'subscriptions', { accountId });
    id = body.subscriptions[0].id;
    await ask('payment-details');
    expect([first.default_payment_method, defaultCard()]).toEqual([cardOfFirst, cardOfSecond]);
    await passTo(end);
    expect(first).toMatchObject({ schedule: null, default_payment_method: cardOfFirst });
  });

  it('a customer can change a card although the first payment of another plan has failed', async () => {
    billing.simulator.invoices.replaceCard(there().customer as string, 'works');
    await buy('domainer-names-month');
    Object.assign(there(), { status: 'incomplete_expired', default_payment_method: null });
    const { status } = await billing.call('POST', `subscriptions/${id}/payment-details`, {
      accountId,
    });
    expect(status).toBe(200);
  });

  it('a cancellation in Stripe’s customer portal is shown, can be undone, and ends the plan', async () => {
    const cancelThere = (at: Date) =>
      billing.simulator.subscriptions.update(there().id, { cancel_at: at.getTime() / 1_000 });
    cancelThere(end);
    expect(await now()).toMatchObject({ state: 'active', cancel_at: end.toISOString() });
    expect((await ask('undo')).body.subscription).toMatchObject({ cancel_at: null });
    expect(there()).toMatchObject({ cancel_at: null, cancel_at_period_end: false });
    cancelThere(end);
    expect((await ask('cancel')).body.subscription).toMatchObject({ cancel_at: end.toISOString() });
    await passTo(end);
    expect(await now()).toMatchObject({ state: 'cancelled' });
  });

  it('a waiting downgrade is not a cancellation, although its schedule writes the end of the period into cancel_at', async () => {
    expect((await ask('change', { sku: 'api-5K-month' })).body.subscription).toMatchObject({
      cancel_at: null,
      pending_change: { sku: 'api-5K-month' },
    });
    expect(there().cancel_at).toBe(end.getTime() / 1_000);
    expect((await ask('cancel')).body.subscription).toMatchObject({ cancel_at: end.toISOString() });
    expect(there()).toMatchObject({ cancel_at: null, cancel_at_period_end: true });
  });

  it('a plan that Stripe ends in a later period is renewed until then, unless it is cancelled', async () => {
    const later = (addMonths(end, 1).getTime() + DAY_MS) / 1_000;
    billing.simulator.subscriptions.update(there().id, { cancel_at: later });
    expect(await now()).toMatchObject({ cancel_at: null });
    expect((await ask('cancel')).body.subscription).toMatchObject({ cancel_at: end.toISOString() });
  });

  it('a plan whose bills are paused at Stripe is paused, and is not changed meanwhile', async () => {
    const pause = (wanted: object | null) => {
      Object.assign(there(), { pause_collection: wanted });
      billing.simulator.subscriptions.update(there().id, {});
    };
    pause({ behavior: 'void', resumes_at: null });
    expect(await now()).toMatchObject({ state: 'paused', paid_through: end.toISOString() });
    expect(await ask('preview', { sku: 'api-50K-month' })).toMatchObject({
      status: 409,
      body: { code: 'plan_not_changeable', detail: expect.stringContaining('paused') },
    });
    const { data } = (await billing.events(accountId)).at(-1)!;
    expect(data).toMatchObject({ state: 'paused' });
    pause(null);
    expect(await now()).toMatchObject({ state: 'active' });
  });

  it('a coupon stays while a change waits, after it was undone, and when it takes effect', async () => {
    const { world, subscriptions } = billing.simulator;
    const coupon = world.put({
      id: 'friends',
      object: 'coupon',
      amount_off: null,
      created: world.now,
      currency: null,
      livemode: false,
      metadata: {},
      percent_off: 25,
    });
    subscriptions.update(there().id, { discounts: [{ coupon: coupon.id }] });
    await ask('change', { sku: 'api-5K-month' });
    await ask('undo');
    expect(there().discounts).toEqual([coupon.id]);
    await ask('change', { sku: 'api-5K-month' });
    await passTo(end);
    expect(world.all('invoice')[0]).toMatchObject({ subtotal: 1000, total: 750 });
  });

  it('an upgrade that never reaches Stripe leaves the waiting downgrade as it was', async () => {
    await ask('change', { sku: 'api-5K-month' });
    await ask('preview', { sku: 'api-50K-month' });
    // The SDK repeats a call once if its connection was closed.
    Object.assign(billing.simulator.apiFaults, { passedRequests: 1, lostRequests: 2 });
    expect((await ask('change', { sku: 'api-50K-month' })).status).toBe(503);
    expect(await now()).toMatchObject({
      sku: 'api-15K-month',
      pending_change: { sku: 'api-5K-month' },
    });
  });
});
