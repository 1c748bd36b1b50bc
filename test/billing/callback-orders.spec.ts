import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { MINUTE_MS, addMonths } from '#libs/platform';
import type { Callback } from '../../apps/simulators/src/payments/callback-sender.js';
import { BillingUnderTest } from './billing-under-test.js';
import { pressButton } from './hosted-page.js';
import { permutationsOf } from '../permutations.js';
import { BOTH, type ProcessorSide, sideOf } from './sides/side-of.js';

/** Match the ids and times of a run, which are replaced so that the rows of two runs can be compared. */
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;
const EXTERNAL = /\b(cs|pi|sub|in|cus|price|re|dp)_[A-Za-z0-9_]+/g;

const ONCE = { areRepeated: false };
/** Matches the types of the callbacks about two payments, a refund and the end of a subscription. */
const NEWS_OF_TWO =
  /invoice\.paid|refund\.created|subscription\.deleted|SALE\.(COMPLETED|REFUNDED)|SUBSCRIPTION\.CANCELLED/;
const PACKAGE = {
  grantId: '019a0000-0000-7000-8000-000000000001',
  lineId: '019a0000-0000-7000-8000-000000000002',
  tier: '5K',
  granted: '5000',
  remaining: '1',
  boughtAt: '2026-03-02T09:00:00Z',
};

/** Numbers the times of a run in ascending order, so that runs in different months can be compared. */
function withoutDates(rows: string): string {
  const times = [...new Set(rows.match(TIME))].toSorted();
  return rows.replace(TIME, (time) => `time ${times.indexOf(time)}`);
}

/** The minimum number of callbacks of an upgrade that the customer approves and pays for. */
const UPGRADE_CALLBACKS = { stripe: 3, paypal: 2 };

describe.each(BOTH)('callbacks of %s in every order', (processor) => {
  let billing: BillingUnderTest;
  let side: ProcessorSide;

  beforeAll(async () => {
    billing = await BillingUnderTest.start();
    side = sideOf(billing, processor);
  });
  afterAll(() => billing.stop());
  afterEach(() => {
    expect(billing.logLines.splice(0)).toEqual([]);
  });

  async function send(callback: Callback): Promise<void> {
    const raw = Buffer.from(callback.body);
    const headers = side.sign(raw);
    await billing.call('POST', `callbacks/${processor}`, { body: raw, headers });
    await billing.settle();
  }

  /**
   * Returns billing's rows about an account's money, its payment events and the last snapshot of each subscription
   * line, without the values that differ from run to run.
   */
  async function rowsOf(accountId: string): Promise<string> {
    const tables: string[][] = [];
    for (const [table, columns] of [
      ['orders', 'state, amount_micros, set_aside_because, checkout_id is null as open'],
      ['payments', 'amount_micros, currency, order_id is null as renewal, is_announced'],
      [
        'payment_lines',
        'kind, sku, amount_micros, monthly_credits, starts_at, period_end, is_change',
      ],
      ['subscriptions', 'state, sku, quantity, period_end, paid_through, is_current, is_duplicate'],
      ['reversals', 'cause, state, amount_micros'],
    ]) {
      const sql = `select ${columns} from ${table} where account_id = $1`;
      const rows = await billing.database.query(sql, [accountId]);
      tables.push(rows.map((row) => JSON.stringify(row)).sort());
    }
    const events = await billing.events(accountId);
    const said = ({ type, data }: (typeof events)[number]) =>
      `${type} ${JSON.stringify(data)}`.replace(UUID, 'id').replace(EXTERNAL, '$1');
    const payments = events.filter(({ type }) => type.startsWith('billing.payment')).map(said);
    const states = events.filter(({ type }) => type.startsWith('billing.subscription'));
    const lastStates = new Map(states.map((event) => [event.data.line, said(event)]));
    return [...tables.flat(), ...payments.sort(), ...[...lastStates.values()].sort()].join('\n');
  }

  /**
   * Runs `begin` once for each permutation of the callbacks that it causes, and delivers them in that order. The first
   * run then delivers all of them again, in reverse order, unless `areRepeated` is false.
   * @returns the number of callbacks, and the different outcomes, each with the last permutation that led to it.
   */
  async function inEveryOrder(
    begin: () => Promise<{ accountId: string; callbacks: readonly Callback[] }>,
    { areRepeated = true } = {},
  ) {
    let begun = await begin();
    const { length } = begun.callbacks;
    expect(length).toBeLessThan(6);
    const outcomes = new Map<string, number[]>();
    for (const [nth, order] of permutationsOf(length).entries()) {
      if (nth > 0) begun = await begin();
      const { accountId, callbacks } = begun;
      expect(callbacks).toHaveLength(length);
      const again = areRepeated && nth === 0 ? order.toReversed() : [];
      for (const at of [...order, ...again]) await send(callbacks[at]);
      await billing.retry();
      outcomes.set(await rowsOf(accountId), order);
    }
    return { length, outcomes };
  }

  async function ordered(wish: object) {
    const accountId = billing.newAccount();
    const body = { ...wish, processor };
    const { body: order } = await billing.call('POST', 'orders', { accountId, body });
    return { accountId, order };
  }

  async function held(accountId: string, work: () => Promise<unknown>) {
    side.callbacks.hold();
    await work();
    return { accountId, callbacks: side.callbacks.takeHeld() };
  }

  it('S49: in whatever order they arrive, the callbacks of a credit checkout lead to the same rows', async () => {
    const { outcomes } = await inEveryOrder(async () => {
      const { accountId, order } = await ordered({ product: 'package', credits: 15_000 });
      return held(accountId, () => pressButton(order.redirect_url, 'pay'));
    });
    expect([...outcomes.keys()]).toHaveLength(1);
    expect([...outcomes.keys()][0]).toContain('"state":"paid"');
  });

  it('S49: in whatever order they arrive, the callbacks of a plan checkout lead to the same rows', async () => {
    const { length, outcomes } = await inEveryOrder(async () => {
      const { accountId, order } = await ordered({ product: 'subscription', sku: 'api-15K-month' });
      const { callbacks } = await held(accountId, () => pressButton(order.redirect_url, 'pay'));
      // Both callbacks are about the same invoice, which billing fetches for each.
      return { accountId, callbacks: callbacks.filter(({ type }) => !type.endsWith('finalized')) };
    });
    expect(length).toBeGreaterThanOrEqual(2);
    expect([...outcomes.keys()]).toHaveLength(1);
    expect([...outcomes.keys()][0]).toContain('billing.payment-confirmed');
  });

  it('S49: in whatever order they arrive, the callbacks of an upgrade lead to the same rows', async () => {
    const { length, outcomes } = await inEveryOrder(async () => {
      const { accountId, order } = await ordered({ product: 'subscription', sku: 'api-15K-month' });
      await billing.act(order, 'pay');
      return held(accountId, await upgradeOf(accountId));
    });
    expect(length).toBeGreaterThanOrEqual(UPGRADE_CALLBACKS[processor]);
    expect([...outcomes.keys()]).toHaveLength(1);
    expect([...outcomes.keys()][0]).toContain('subscription_upgrade');
  });

  it('S49: in whatever order they arrive, the callbacks of a plan and an add-on, one of which is refunded while the other ends, lead to the same rows', async () => {
    const { length, outcomes } = await inEveryOrder(async () => {
      const { accountId, plan, addOn } = await orderedBoth();
      const { callbacks } = await held(accountId, async () => {
        await pressButton(plan.redirect_url, 'pay');
        side.refund((await side.paymentsOf(accountId))[0]);
        await pressButton(addOn.redirect_url, 'pay');
        end(side.newest('subscription', 1)[0]);
      });
      return { accountId, callbacks: callbacks.filter(({ type }) => NEWS_OF_TWO.test(type)) };
    }, ONCE);
    expect(length).toBe(4);
    const [rows, ...others] = outcomes.keys();
    expect(others).toEqual([]);
    expect(rows).toContain('billing.payment-reversed');
    expect(rows).toContain('"sku":"rate-limit-month"');
    await expectNoViolation();
  });

  it('S49: in whatever order they arrive, the callbacks of a renewed plan, a renewed add-on and the refund of one of them lead to the same rows', async () => {
    const { length, outcomes } = await inEveryOrder(async () => {
      // The subscriptions of earlier runs must not be renewed as well.
      for (const { id } of running()) end(id);
      await billing.settle();
      const { accountId, plan, addOn } = await orderedBoth();
      await billing.act(plan, 'pay');
      // The add-on must always be renewed after the plan.
      await billing.pass(MINUTE_MS);
      await billing.act(addOn, 'pay');
      const { callbacks } = await held(accountId, async () => {
        const now = billing.clock.now();
        await billing.pass(addMonths(now, 1).getTime() - now.getTime());
        side.refund((await side.paymentsOf(accountId))[0]);
      });
      return { accountId, callbacks: callbacks.filter(({ type }) => NEWS_OF_TWO.test(type)) };
    });
    expect(length).toBe(3);
    const [rows, ...others] = new Set([...outcomes.keys()].map(withoutDates));
    expect(others).toEqual([]);
    expect(rows.match(/billing\.payment-confirmed/g)).toHaveLength(4);
    expect(rows).toContain('billing.payment-reversed');
    await expectNoViolation();
  });

  async function orderedBoth() {
    const { accountId, order: plan } = await ordered({
      product: 'subscription',
      sku: 'api-15K-month',
    });
    billing.holdings.set(accountId, { packages: [PACKAGE] });
    const body = { product: 'subscription', sku: 'rate-limit-month', processor };
    const { body: addOn } = await billing.call('POST', 'orders', { accountId, body });
    return { accountId, plan, addOn };
  }

  const running = () => {
    const { world, paypal } = billing.simulator;
    return processor === 'stripe'
      ? world.all('subscription').filter(({ status }) => status === 'active')
      : paypal.world.all('subscription').filter(({ status }) => status === 'ACTIVE');
  };

  function end(id: string): void {
    const { subscriptions, paypal } = billing.simulator;
    if (processor === 'stripe') subscriptions.cancel(id);
    else paypal.subscriptions.cancel(id);
  }

  async function expectNoViolation(): Promise<void> {
    await billing.follow();
    expect(await billing.violations()).toEqual([]);
  }

  // At PayPal, an upgrade starts in billing, so billing has recorded the checkout before any callback.
  if (processor === 'stripe') {
    it('S49: in whatever order they arrive, the callbacks of a checkout and an immediate upgrade lead to the same rows', async () => {
      const { outcomes } = await inEveryOrder(async () => {
        const { accountId, order } = await ordered({
          product: 'subscription',
          sku: 'api-15K-month',
        });
        const price = await priceOf('api-50K-month');
        const { callbacks } = await held(accountId, async () => {
          await pressButton(order.redirect_url, 'pay');
          upgradeTo(price);
        });
        const telling = callbacks.filter(({ type }) =>
          /invoice\.paid|subscription\.(created|updated)/.test(type),
        );
        expect(telling.map(({ type }) => type)).toEqual(
          expect.arrayContaining([
            expect.stringMatching(/subscription\.created$/),
            expect.stringMatching(/subscription\.updated$/),
          ]),
        );
        return { accountId, callbacks: telling };
      });
      expect([...outcomes.keys()]).toHaveLength(1);
      expect([...outcomes.keys()][0]).toContain('subscription_upgrade');
    });
  }

  async function upgradeOf(accountId: string): Promise<() => Promise<unknown>> {
    if (processor === 'stripe') {
      const price = await priceOf('api-50K-month');
      return async () => upgradeTo(price);
    }
    const { body: listed } = await billing.call('GET', 'subscriptions', { accountId });
    const call = { accountId, body: { sku: 'api-50K-month' } };
    const path = `subscriptions/${listed.subscriptions[0].id}/change`;
    const { body } = await billing.call('POST', path, call);
    await billing.settle();
    return () => side.agree(body.redirect_url);
  }

  /** Upgrades at the processor, so that billing is informed only by a callback. */
  function upgradeTo(price: string): void {
    const [{ id }] = billing.simulator.world.all('subscription');
    const items = [{ price, quantity: 1 }];
    billing.simulator.subscriptions.update(id, { items, proration_behavior: 'always_invoice' });
  }

  /** Returns the price of a plan at the processor, which an order that is never paid creates. */
  async function priceOf(sku: string): Promise<string> {
    const find = () =>
      billing.simulator.world.all('price').find(({ metadata }) => metadata.sku === sku)?.id;
    if (!find()) await ordered({ product: 'subscription', sku });
    return find()!;
  }
});
