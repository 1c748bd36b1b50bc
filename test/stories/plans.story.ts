import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type ChosenProcessor, type ServiceHttp, type SubscriptionAnswer } from '#libs/contracts';
import { DAY_MS, addMonths, newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import { pressButton } from '../billing/hosted-page.js';
import { type ProcessorSide, sideOf } from '../billing/sides/side-of.js';
import type { PaymentsSimulator } from '../../apps/simulators/src/payments/payments-simulator.js';
import { Customer } from './customer.js';
import type { Deployment } from './deployment.js';
import { connectTo } from './connections.js';

const TRIAL = 500;
const TRIAL_LIMIT = 10;
/** The limit of class `live`, in requests per minute. */
const LIMITS = { '5K': 20, '15K': 40, '50K': 80, ADD_ON: 50 };

/**
 * Plans and money after the first payment: renewals, changes, declined cards, refunds, disputes, and a customer who
 * leaves and returns. The story uses only the dashboard's origin, the processor's pages and the calls of operators.
 * Each step builds on the previous ones.
 */
export function plansAndMoneyBack(
  deployed: () => Deployment & { payments: PaymentsSimulator; billingUrl: string },
  processor: ChosenProcessor,
): void {
  let deployment: ReturnType<typeof deployed>;
  let operator: ServiceHttp;
  let side: ProcessorSide;
  const ordered = new Map<string, string[]>();
  let rosa: Customer;
  let yves: Customer;
  let rhea: Customer;

  beforeAll(async () => {
    deployment = deployed();
    const { billingUrl: url, serviceSecret: secret, clock } = deployment;
    operator = connectTo('billing', { url, secret, clock });
    [rosa, yves, rhea] = ['Rosa', 'Yves', 'Rhea'].map(
      (name) => new Customer(deployment, `${name}@${processor}.example`.toLowerCase(), name),
    );
    const ordersOf = async (accountId: string) => ordered.get(accountId) ?? [];
    side = sideOf({ simulator: deployment.payments, clock, ordersOf }, processor);
    // After this, earlier sign-ups from this address date from yesterday, and no longer count.
    clock.advance(DAY_MS);
    for (const customer of [rosa, yves, rhea]) await customer.joinWithCredits();
  });
  afterAll(() => operator?.close());

  const waitForLimit = (customer: Customer, expected: number) =>
    waitFor(`a limit of ${expected}`, async () => (await customer.liveLimit()) === expected);

  async function buy(customer: Customer, wish: object): Promise<string> {
    const body = { ...wish, processor };
    const { status, body: order } = await customer.call('POST', '/api/orders', body);
    expect([status, order.code]).toEqual([201, undefined]);
    const { accountId } = customer;
    ordered.set(accountId, [...(ordered.get(accountId) ?? []), order.id]);
    await pressButton(order.redirect_url, 'pay');
    return order.id;
  }
  const subscribe = (customer: Customer, sku: string, quantity = 1) =>
    buy(customer, { product: 'subscription', sku, quantity });

  async function owned(customer: Customer, line = 'api'): Promise<SubscriptionAnswer> {
    const { body } = await customer.call('GET', '/api/subscriptions');
    return (body.subscriptions as SubscriptionAnswer[]).find((one) => one.line === line)!;
  }
  const waitForPlan = (customer: Customer, expected: Partial<SubscriptionAnswer>) =>
    waitFor(`a plan that is ${JSON.stringify(expected)}`, async () => {
      const plan = await owned(customer);
      const isSo = ([name, value]: [string, unknown]) => Reflect.get(plan, name) === value;
      return Object.entries(expected).every(isSo) && plan;
    });
  async function step(customer: Customer, name: string, body: object = {}) {
    const { id } = await owned(customer);
    const answer = await customer.call('POST', `/api/subscriptions/${id}/${name}`, body);
    expect([answer.status, answer.body.code]).toEqual([200, undefined]);
    return answer.body;
  }

  /** Takes a step, to which the customer agrees on the processor's page if the processor requires it. */
  async function agreed(customer: Customer, name: string, body: object = {}): Promise<void> {
    const { redirect_url: page } = await step(customer, name, body);
    expect(typeof page).toBe(processor === 'paypal' ? 'string' : 'object');
    if (page) await side.agree(page);
  }

  /** Advances the clock of every service. Sessions expire in the meantime. */
  async function pass(to: Date): Promise<void> {
    deployment.clock.advance(to.getTime() - deployment.clock.now().getTime());
    deployment.payments.clock.runDue();
    for (const customer of [rosa, yves, rhea]) await customer.logIn();
  }
  async function refund({ accountId }: Customer, scope: 'whole' | 'remaining'): Promise<void> {
    const { payments } = await operator.call<{ payments: { paymentId: string }[] }>(
      'GET',
      '/internal/operator/payments',
      { accountId },
    );
    const body = { refundId: newId(), paymentId: payments[0].paymentId, scope, reason: 'asked' };
    await operator.call('POST', '/internal/operator/refunds', { accountId, body });
  }
  const waitForOrder = (customer: Customer, id: string, state: string) =>
    waitFor(`the order to be ${state}`, async () => {
      return (await customer.call('GET', `/api/orders/${id}`)).body.state === state;
    });

  it('a monthly plan grants its credits and sets its limit, and an add-on raises the limit', async () => {
    await subscribe(rosa, 'api-15K-month');
    await rosa.waitForCredits(TRIAL + 15_000);
    await waitForLimit(rosa, LIMITS['15K']);
    await subscribe(rosa, 'rate-limit-month', 2);
    await waitForLimit(rosa, LIMITS['15K'] + 2 * LIMITS.ADD_ON);
  });

  it('an upgrade costs the amount in its preview, and takes effect once it is paid', async () => {
    const wish = { sku: 'api-50K-month' };
    const preview = await step(rosa, 'preview', wish);
    expect(preview).toMatchObject({ effect: 'now', due_micros: '48000000' });
    await agreed(rosa, 'change', { ...wish, from: preview.from });
    await rosa.waitForCredits(TRIAL + 50_000);
    await waitForLimit(rosa, LIMITS['50K'] + 2 * LIMITS.ADD_ON);
  });

  it('a downgrade and a cancellation wait for the end of the period, and can be undone', async () => {
    await agreed(rosa, 'change', { sku: 'api-5K-month' });
    await waitFor('the pending change', async () => {
      return (await owned(rosa)).pending_change?.sku === 'api-5K-month';
    });
    await agreed(rosa, 'undo');
    await waitForPlan(rosa, { pending_change: null });
    const { subscription } = await step(rosa, 'cancel');
    expect(subscription.cancel_at).toBe(subscription.period_end);
    expect((await step(rosa, 'undo')).subscription.cancel_at).toBeNull();
    await rosa.waitForCredits(TRIAL + 50_000);
  });

  it('a yearly plan grants its credits month by month, and a monthly plan renews automatically', async () => {
    await subscribe(yves, 'api-5K-year');
    await yves.waitForCredits(TRIAL + 5_000);
    const { amount_micros: price, period_start: start } = await owned(yves);
    expect(price).toBe('99600000');
    const { period_end: end } = await owned(rosa);
    await pass(new Date(Math.max(Date.parse(end), addMonths(new Date(start), 1).getTime()) + 1));
    await waitForPlan(rosa, { period_start: end, state: 'active' });
    await rosa.waitForCredits(TRIAL + 50_000);
    const slices = await waitFor('the second slice', async () => {
      const { body } = await yves.call('GET', '/api/balance');
      const sizes = (body.grants as { granted: number }[]).map(({ granted }) => granted);
      return sizes.filter((granted) => granted === 5_000).length === 2 && body;
    });
    expect(slices.spendable).toBe(TRIAL + 5_000);
    expect(await owned(yves)).toMatchObject({ period_start: start, state: 'active' });
  });

  it('after a declined renewal, the rights remain for seven days; a payment restores them', async () => {
    await side.setFunds(rosa.accountId, 'declines');
    const { period_end: end } = await owned(rosa);
    const daysLater = (days: number) => pass(new Date(Date.parse(end) + days * DAY_MS));
    await daysLater(1);
    await waitForPlan(rosa, { state: 'past_due', paid_through: end });
    await waitForLimit(rosa, LIMITS['50K'] + 2 * LIMITS.ADD_ON);
    await daysLater(8);
    // PayPal makes its last attempt on the tenth day, but the rights end before that.
    await waitForPlan(rosa, { state: processor === 'paypal' ? 'past_due' : 'unpaid' });
    await waitForLimit(rosa, TRIAL_LIMIT);
    await rosa.waitForCredits(TRIAL);
    await side.setFunds(rosa.accountId, 'works');
    for (const page of await side.openBills(rosa.accountId)) await pressButton(page, 'pay');
    if (processor === 'paypal') await daysLater(11);
    await waitForPlan(rosa, { state: 'active', is_current: true });
    await waitForLimit(rosa, LIMITS['50K'] + 2 * LIMITS.ADD_ON);
    await rosa.waitForCredits(TRIAL + 50_000);
  });

  it('a refund revokes the credits of a package, or of the rest of a period', async () => {
    const order = await buy(rhea, { product: 'package', credits: 15_000 });
    await rhea.waitForCredits(TRIAL + 15_000);
    await refund(rhea, 'whole');
    await waitForOrder(rhea, order, 'refunded');
    await rhea.waitForCredits(TRIAL);
    await subscribe(rhea, 'api-15K-month');
    await rhea.waitForCredits(TRIAL + 15_000);
    await refund(rhea, 'remaining');
    await rhea.waitForCredits(TRIAL);
    await waitForPlan(rhea, { state: 'cancelled' });
    await waitForLimit(rhea, TRIAL_LIMIT);
  });

  it('credits are withdrawn while their payment is disputed, returned if the dispute is won, and withdrawn again if it is lost after all', async () => {
    const order = await buy(rhea, { product: 'package', credits: 15_000 });
    await rhea.waitForCredits(TRIAL + 15_000);
    const [payment] = await side.paymentsOf(rhea.accountId);
    const id = side.dispute(payment);
    await waitForOrder(rhea, order, 'disputed');
    await rhea.waitForCredits(TRIAL);
    side.decideDispute(id, 'won');
    await waitForOrder(rhea, order, 'paid');
    await rhea.waitForCredits(TRIAL + 15_000);
    side.decideDispute(id, 'lost');
    await waitForOrder(rhea, order, 'disputed');
    await rhea.waitForCredits(TRIAL);
  });

  it('S118: a deletion cancels the plan at the end of the period, and a restoration undoes exactly this', async () => {
    const isEnding = () => side.isEnding(yves.accountId);
    const { password } = yves;
    await yves.call('POST', '/api/session/reauthenticate', { password });
    expect((await yves.call('POST', '/api/account/delete', {})).status).toBe(200);
    await waitFor('the cancellation at the processor', isEnding);
    await yves.logIn();
    expect((await yves.call('POST', '/api/account/restore', {})).status).toBe(200);
    await waitFor('the plan to be resumed at the processor', async () => !(await isEnding()));
    await yves.logIn();
    await waitForPlan(yves, { state: 'active', cancel_at: null });
    await yves.waitForCredits(TRIAL + 5_000);
  });
}
