import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  jest,
} from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { type OrderAnswer, type Paging, packagePriceMicros } from '#libs/contracts';
import { DAY_MS, HOUR_MS, MINUTE_MS, newId } from '#libs/platform';
import { pressButton } from '../../../../test/billing/hosted-page.js';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { BOTH, sideOf } from '../../../../test/billing/sides/side-of.js';
import { OpenOrdersJob } from '../missed-news/open-orders.job.js';

describe('orders', () => {
  let billing: BillingUnderTest;
  let accountId: string;

  beforeAll(async () => {
    billing = await BillingUnderTest.start();
  });
  afterAll(() => billing.stop());
  beforeEach(() => {
    accountId = billing.newAccount();
  });
  afterEach(() => {
    expect(billing.logLines.splice(0)).toEqual([]);
  });

  const post = (body: object, headers?: Record<string, string>) =>
    billing.call('POST', 'orders', { accountId, body, headers });
  const wish = (extra: object = {}) => ({
    product: 'package',
    credits: 15_000,
    processor: 'stripe',
    ...extra,
  });
  const unread = () =>
    billing.database.query(`select name, reason from work where queue = 'processor-objects'`);
  const confirmed = async () =>
    (await billing.events(accountId)).filter(({ type }) => type === 'billing.payment-confirmed');

  describe('creation', () => {
    it('leads to a processor’s page that shows the catalogue price', async () => {
      const order = await billing.order(accountId, 15_000);
      expect(order).toMatchObject({
        state: 'redirected',
        amount_micros: '54000000',
        currency: 'USD',
        lines: [{ kind: 'package', sku: 'package-15000', quantity: 1, credits: '15000' }],
      });
      const page = await (await fetch(order.redirect_url as string)).text();
      expect(page).toContain('$54.00');
      expect(await billing.events(accountId)).toEqual([]);
    });

    it('listing several orders reads all their lines with one query', async () => {
      const made = [];
      for (const credits of [15_000, 5_000, 20_000]) {
        made.unshift(await billing.order(accountId, credits));
      }
      const asked = jest.spyOn(pg.Client.prototype, 'query');
      const { body } = await billing.call('GET', 'orders', { accountId });
      const texts = asked.mock.calls.map(([query]: unknown[]) => JSON.stringify(query));
      asked.mockRestore();
      expect(body.orders).toEqual(made);
      expect(texts.filter((text) => text.includes('order_lines'))).toHaveLength(1);
    });

    it('reading a list page by page returns each order once', async () => {
      const made: unknown[] = [];
      for (const credits of [15_000, 5_000, 20_000]) {
        made.unshift((await billing.order(accountId, credits)).id);
      }
      const first = await billing.call('GET', 'orders?page_size=2', { accountId });
      const { next_cursor: cursor } = first.body.paging as Paging;
      const rest = await billing.call('GET', `orders?page_size=2&cursor=${cursor}`, { accountId });
      const listed = [first, rest].flatMap(({ body }) => body.orders as OrderAnswer[]);
      expect(listed.map(({ id }) => id)).toEqual(made);
      expect(rest.body.paging).toMatchObject({ total_records: 3, total_is: 'exact' });
      const other = { accountId: billing.newAccount() };
      const empty = await billing.call('GET', `orders?cursor=${cursor}`, other);
      expect(empty.body.orders).toEqual([]);
    });

    it('a repeat with the same key returns the same order, and a repeat with another body is rejected', async () => {
      const headers = { 'idempotency-key': newId() };
      const before = billing.simulator.world.all('checkout.session').length;
      const [first, ...others] = await Promise.all([1, 2, 3, 4].map(() => post(wish(), headers)));
      expect(first.status).toBe(201);
      for (const other of others) expect(other.body).toEqual(first.body);
      expect(billing.simulator.world.all('checkout.session')).toHaveLength(before + 1);
      expect(await post(wish({ credits: 5_000 }), headers)).toMatchObject({
        status: 422,
        body: { code: 'idempotency_key_reused' },
      });
    });

    it('a lost answer creates no second order: the repeat completes the same order', async () => {
      const headers = { 'idempotency-key': newId() };
      const before = billing.simulator.world.all('checkout.session').length;
      billing.simulator.apiFaults.lostAnswers = Infinity;
      const lost = await post(wish(), headers);
      billing.simulator.apiFaults.lostAnswers = 0;
      expect(lost).toMatchObject({ status: 503, body: { code: 'processor_unavailable' } });
      const repeated = await post(wish(), headers);
      expect(repeated).toMatchObject({ status: 201, body: { state: 'redirected' } });
      const { body: listed } = await billing.call('GET', 'orders', { accountId });
      expect(listed.orders).toEqual([repeated.body]);
      expect(billing.simulator.world.all('checkout.session')).toHaveLength(before + 1);
    });

    it('an account has at most 20 open unpaid orders; a payment or an hour makes room', async () => {
      const answers = await Promise.all(Array.from({ length: 24 }, () => post(wish())));
      const made = answers.filter(({ status }) => status === 201);
      expect(made).toHaveLength(20);
      const refused = { status: 409, body: { code: 'too_many_open_orders' } };
      for (const answer of answers)
        if (answer.status !== 201) expect(answer).toMatchObject(refused);
      expect(await post(wish())).toMatchObject(refused);
      await billing.act(made[0].body, 'pay');
      expect((await post(wish())).status).toBe(201);
      expect(await post(wish())).toMatchObject(refused);
      billing.clock.advance(HOUR_MS);
      expect((await post(wish())).status).toBe(201);
    });

    it.each([
      0,
      -5_000,
      4_000,
      5_500,
      105_000,
      3_010_000,
      5_000.5,
      1e21,
      '15000',
      null,
      undefined,
      [15_000],
      {},
    ])('S50: an order for %p credits is rejected', async (credits) => {
      expect(await post(wish({ credits }))).toMatchObject({
        status: 400,
        body: { code: 'invalid_request' },
      });
    });

    it('S50: a price, an amount or a currency in a request is rejected', async () => {
      for (const extra of [
        { price: 1 },
        { amount_micros: '1' },
        { currency: 'JPY' },
        { micros: 1 },
      ]) {
        expect([extra, (await post(wish(extra))).status]).toEqual([extra, 400]);
      }
      expect((await post(wish({ processor: 'manual' }))).status).toBe(400);
    });

    it('S50: every number of credits has its catalogue price or is rejected', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.oneof(
            fc.constantFrom(5_000, 20_000, 3_000_000),
            fc.integer(),
            fc.double(),
            fc.bigInt().map(Number),
          ),
          async (credits) => {
            accountId = billing.newAccount();
            const answer = await post(wish({ credits }));
            const price = packagePriceMicros(credits);
            const { amount_micros: amount, lines } = answer.body;
            expect([answer.status, amount, lines?.[0].credits]).toEqual(
              price === undefined
                ? [400, undefined, undefined]
                : [201, String(price), String(credits)],
            );
          },
        ),
        { numRuns: 60, seed: 20_261_122 },
      );
    });

    it('S85: an order of another account is not found', async () => {
      const order = await billing.order(accountId);
      const stranger = { accountId: billing.newAccount() };
      expect((await billing.call('GET', `orders/${order.id}`, stranger)).status).toBe(404);
      expect((await billing.call('POST', `orders/${order.id}/return`, stranger)).status).toBe(404);
      expect((await billing.call('GET', 'orders/no-id', stranger)).status).toBe(404);
    });
  });

  describe.each(BOTH)('payment at %s', (processor) => {
    const side = () => sideOf(billing, processor);
    const order = (credits = 15_000) => billing.order(accountId, credits, processor);

    it('a payment is announced once, with the grant of each line', async () => {
      const bought = await order();
      const end = await billing.act(bought, 'pay');
      expect(end).toContain(`http://localhost:8081/billing/return?order=${bought.id}`);
      expect(await billing.stateOf(accountId, bought)).toBe('paid');
      await billing.call('POST', `orders/${bought.id}/return`, { accountId });
      expect(await billing.events(accountId)).toEqual([
        {
          type: 'billing.payment-confirmed',
          key: accountId,
          aggregate: expect.stringMatching(/^payment:/),
          data: {
            paymentId: expect.any(String),
            orderId: bought.id,
            amountMicros: '54000000',
            currency: 'USD',
            catalogueVersion: '2026-11',
            lines: [
              {
                lineId: expect.any(String),
                kind: 'package',
                sku: 'package-15000',
                quantity: 1,
                amountMicros: '54000000',
                credits: '15000',
                tier: '15K',
              },
            ],
          },
        },
      ]);
    });

    it('S48: a customer’s return alone grants nothing, whatever its URL contains', async () => {
      const [mine, paid] = [await order(), await order()];
      await billing.act(paid, 'pay');
      const page = new URL(paid.redirect_url as string).pathname.split('/').at(-1);
      const forged = `orders/${mine.id}/return?session_id=${page}&token=${page}&redirect_status=succeeded`;
      const answer = await billing.call('POST', forged, { accountId });
      expect(answer.body).toMatchObject({ id: mine.id, state: 'redirected' });
      expect(await confirmed()).toHaveLength(1);
    });

    it('the customer’s return is enough if every callback is lost', async () => {
      side().callbacks.faults.drop = true;
      const bought = await order();
      await billing.act(bought, 'pay');
      expect(await billing.stateOf(accountId, bought)).toBe('redirected');
      const answer = await billing.call('POST', `orders/${bought.id}/return`, { accountId });
      side().callbacks.faults.drop = false;
      expect(answer.body.state).toBe('paid');
      expect(await confirmed()).toHaveLength(1);
    });

    it('a delayed payment is pending until the money arrives', async () => {
      const [arriving, failing] = [await order(), await order()];
      await billing.act(arriving, 'delayed');
      await billing.act(failing, 'delayed-failing');
      expect(await billing.stateOf(accountId, arriving)).toBe('processing');
      expect(await confirmed()).toEqual([]);
      expect(await unread()).toEqual([]);
      await billing.pass(3 * DAY_MS);
      expect(await billing.stateOf(accountId, arriving)).toBe('paid');
      expect(await billing.stateOf(accountId, failing)).toBe('failed');
      expect(await confirmed()).toHaveLength(1);
      expect(await unread()).toEqual([]);
    });

    it('declined and abandoned checkouts grant nothing and expire with their page', async () => {
      const [declined, abandoned] = [await order(), await order()];
      await billing.act(declined, 'decline');
      await billing.act(abandoned, 'abandon');
      expect(await billing.stateOf(accountId, declined)).toBe('redirected');
      await billing.pass(HOUR_MS);
      // Not every processor sends a callback about expiry.
      await billing.get(OpenOrdersJob).runOnce();
      expect(await billing.stateOf(accountId, declined)).toBe('expired');
      expect(await billing.stateOf(accountId, abandoned)).toBe('expired');
      expect(await billing.events(accountId)).toEqual([]);
    });

    it('a late payment counts, even if the order has already expired here', async () => {
      const bought = await order();
      await billing.database.query(`update orders set state = 'expired' where id = $1`, [
        bought.id,
      ]);
      await billing.act(bought, 'pay');
      expect(await billing.stateOf(accountId, bought)).toBe('paid');
      expect(await confirmed()).toHaveLength(1);
    });
  });

  describe.each(BOTH)('missed events of %s', (processor) => {
    const heal = () => billing.get(OpenOrdersJob).runOnce();
    const lastRun = async () => {
      const [run] = await billing.database.query<object>(
        `select checked, healed, failed from healing_runs where job = 'open-orders'
         order by id desc limit 1`,
      );
      return run;
    };

    it('a paid order is found after five minutes even if no callback arrives', async () => {
      const { callbacks } = sideOf(billing, processor);
      callbacks.faults.drop = true;
      const order = await billing.order(accountId, 15_000, processor);
      await billing.act(order, 'pay');
      await billing.pass(5 * MINUTE_MS + 1);
      await heal();
      callbacks.faults.drop = false;
      expect(await billing.stateOf(accountId, order)).toBe('paid');
      expect(await confirmed()).toHaveLength(1);
      expect(await lastRun()).toMatchObject({ failed: 0 });
    });

    it('a paid order is found even if an earlier order cannot be stored', async () => {
      const { callbacks } = sideOf(billing, processor);
      callbacks.faults.drop = true;
      const stuck = await billing.order(accountId, 15_000, processor);
      const other = await billing.order(accountId, 15_000, processor);
      for (const one of [stuck, other]) await billing.act(one, 'pay');
      await billing.pass(5 * MINUTE_MS + 1);
      await billing.whileStuck('orders', stuck.id, heal);
      expect(await lastRun()).toMatchObject({ failed: 1 });
      expect(await billing.stateOf(accountId, other)).toBe('paid');
      await heal();
      callbacks.faults.drop = false;
      expect(await billing.stateOf(accountId, stuck)).toBe('paid');
      expect(billing.logLines.splice(0)).toHaveLength(1);
    });

    it('an order whose checkout got no answer is resolved by repeating the call, and expires with its page', async () => {
      billing.simulator.apiFaults.lostAnswers = Infinity;
      const lost = await post(wish({ processor }));
      expect(lost.status).toBe(503);
      await billing.pass(5 * MINUTE_MS + 1);
      await heal();
      expect(await lastRun()).toMatchObject({ failed: 1 });
      billing.simulator.apiFaults.lostAnswers = 0;
      const { body } = await billing.call('GET', 'orders', { accountId });
      await heal();
      expect(await billing.stateOf(accountId, body.orders[0])).toBe('redirected');
      await billing.pass(HOUR_MS);
      await heal();
      expect(await billing.stateOf(accountId, body.orders[0])).toBe('expired');
    });
  });

  it('S47: an order whose checkout names another order’s payment is set aside until it has its own payment', async () => {
    const [first, second] = [await billing.order(accountId), await billing.order(accountId)];
    await billing.act(first, 'pay');
    const { world } = billing.simulator;
    const [later, earlier] = world.all('checkout.session');
    billing.simulator.callbacks.hold();
    await pressButton(second.redirect_url as string, 'pay');
    const own = later.payment_intent;
    later.payment_intent = earlier.payment_intent;
    billing.simulator.callbacks.takeHeld();
    const come = () => billing.call('POST', `orders/${second.id}/return`, { accountId });
    await come();
    expect(await billing.stateOf(accountId, second)).toBe('redirected');
    const setAside = async () => {
      const { body } = await billing.call('GET', 'operator/set-aside', { caller: 'cli' });
      return (body as { kind: string; id: string }[]).filter(({ kind }) => kind === 'orders');
    };
    expect(await setAside()).toMatchObject([{ kind: 'orders', id: second.id }]);
    later.payment_intent = own;
    await come();
    expect(await billing.stateOf(accountId, second)).toBe('paid');
    expect(await setAside()).toEqual([]);
  });

  it('an account whose customer was deleted at Stripe can buy again, as a new customer', async () => {
    await billing.order(accountId);
    const customers = 'processor_customers';
    const gone = `update ${customers} set customer_id = 'cus_gone' where account_id = $1`;
    await billing.database.query(gone, [accountId]);
    await billing.order(accountId);
    const [{ customer }] = billing.simulator.world.all('checkout.session');
    const known = `select customer_id as id from ${customers} where account_id = $1`;
    expect(await billing.database.query(known, [accountId])).toEqual([{ id: customer }]);
  });
});
