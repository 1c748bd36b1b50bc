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
import { DAY_MS, HOUR_MS, MINUTE_MS, newId } from '#libs/platform';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { pressButton } from '../../../../test/billing/hosted-page.js';
import { PaypalRefusal } from '../../../simulators/src/payments/paypal/paypal-refusal.js';
import { OpenOrdersJob } from '../missed-news/open-orders.job.js';
import type { ProcessorName } from '../processors/payment-processor.js';
import { SyncService } from '../processor-sync/sync.service.js';
import { CloseCheckoutsJob } from './close-checkouts.job.js';

describe('an unpaid order', () => {
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

  const drop = (id: string, owner = accountId) =>
    billing.call('POST', `orders/${id}/drop`, { accountId: owner });

  it.each(['stripe', 'paypal'] as const)(
    'can be dropped, and its page at %s then accepts no payment',
    async (processor) => {
      const order = await billing.order(accountId, 15_000, processor);
      const { status, body } = await drop(order.id);
      expect([status, body.state, body.redirect_url]).toEqual([200, 'cancelled', null]);
      await pressButton(order.redirect_url!, 'pay');
      await billing.settle();
      expect(await billing.stateOf(accountId, order)).toBe('cancelled');
      expect(await billing.events(accountId)).toEqual([]);
      expect((await drop(order.id)).body.state).toBe('cancelled');
    },
  );

  it.each(['stripe', 'paypal'] as const)(
    'is paid if %s had taken the money before it was dropped, and cancelled otherwise',
    async (processor) => {
      const order = await billing.order(accountId, 15_000, processor);
      const { callbacks } = processor === 'paypal' ? billing.simulator.paypal : billing.simulator;
      callbacks.hold();
      await pressButton(order.redirect_url!, 'pay');
      callbacks.takeHeld();
      const { status } = await drop(order.id);
      await billing.call('POST', `orders/${order.id}/return`, { accountId });
      const state = await billing.stateOf(accountId, order);
      expect(status).toBe(200);
      // PayPal captures only on request, so an order dropped before its capture takes no money.
      expect(state).toBe(processor === 'paypal' ? 'cancelled' : 'paid');
    },
  );

  it('can be dropped if it is for a plan at PayPal, although its page stays open; money that still arrives counts', async () => {
    const body = { product: 'subscription', sku: 'api-15K-month', processor: 'paypal' };
    const { body: order } = await billing.call('POST', 'orders', { accountId, body });
    expect((await drop(order.id)).body.state).toBe('cancelled');
    await billing.act(order, 'pay');
    expect(await billing.stateOf(accountId, order)).toBe('paid');
  });

  it('makes room for another order when it is dropped, up to 60 orders an hour', async () => {
    const { id } = await billing.order(accountId);
    await drop(id);
    await billing.database.query(
      `insert into orders (id, account_id, request_key, request_hash, state, processor, amount_micros, currency,
         is_reverse_charge, catalogue_version, expires_at, created_at, updated_at)
       select gen_random_uuid(), account_id, 'dropped ' || n, request_hash, state, processor, amount_micros, currency,
         is_reverse_charge, catalogue_version, expires_at, created_at, updated_at
       from orders, generate_series(2, 59) n where id = $1`,
      [id],
    );
    await drop((await billing.order(accountId)).id);
    const body = { product: 'package', credits: 15_000, processor: 'stripe' };
    expect(await billing.call('POST', 'orders', { accountId, body })).toMatchObject({
      status: 409,
      body: { code: 'too_many_open_orders' },
    });
    billing.clock.advance(HOUR_MS);
    expect((await billing.call('POST', 'orders', { accountId, body })).status).toBe(201);
  });

  it('can be dropped, expires and ends with its account even if its processor is no longer configured', async () => {
    const strand = async () => {
      const order = await billing.order(accountId);
      const sql = `update orders set processor = 'gone' where id = $1`;
      await billing.database.query(sql, [order.id]);
      return order;
    };
    const bill = { processor: 'gone' as ProcessorName, kind: 'bill', id: 'a bill' } as const;
    expect(await billing.get(SyncService).sync(bill)).toBe('refused');
    const dropped = await drop((await strand()).id);
    expect(dropped).toMatchObject({ status: 200, body: { state: 'cancelled' } });
    const silent = await strand();
    billing.clock.advance(HOUR_MS + DAY_MS);
    await billing.runJob(OpenOrdersJob);
    expect(await billing.stateOf(accountId, silent)).toBe('expired');
    const last = await strand();
    await billing.deliver('deleted', accountId);
    await billing.runJob(CloseCheckoutsJob);
    expect(await billing.stateOf(accountId, last)).toBe('cancelled');
  });

  it('can be dropped even if PayPal does not let it be changed; money that still arrives counts', async () => {
    const order = await billing.order(accountId, 15_000, 'paypal');
    jest.spyOn(billing.simulator.paypal.orders, 'patch').mockImplementationOnce(() => {
      throw PaypalRefusal.unprocessable('NOT_PATCHABLE', 'Cannot be patched.');
    });
    expect((await drop(order.id)).body.state).toBe('cancelled');
    await billing.act(order, 'pay');
    expect(await billing.stateOf(accountId, order)).toBe('paid');
  });

  it('is set aside with PayPal’s reason while the operator’s account may not take its money', async () => {
    const order = await billing.order(accountId, 15_000, 'paypal');
    const message = 'The merchant account is restricted.';
    const restricted = jest.spyOn(billing.simulator.paypal.orders, 'capture');
    restricted.mockImplementation(() => {
      throw PaypalRefusal.unprocessable('PAYEE_ACCOUNT_RESTRICTED', message);
    });
    await billing.act(order, 'pay');
    restricted.mockRestore();
    const waiting = `select reason from work where queue = 'processor-objects' and payload ->> 'id' = $1`;
    const id = order.redirect_url!.split('/').at(-1);
    expect(await billing.database.query(waiting, [id])).toEqual([
      { reason: `refused (payee_account_restricted: ${message})` },
    ]);
    await billing.retry();
    expect(await billing.stateOf(accountId, order)).toBe('paid');
  });

  it('is not charged again after PayPal has declined its payment, until its customer agrees again', async () => {
    const order = await billing.order(accountId, 15_000, 'paypal');
    jest.spyOn(billing.simulator.paypal.orders, 'capture').mockImplementationOnce(() => {
      throw PaypalRefusal.unprocessable('PAYMENT_DENIED', 'PayPal declined this transaction.');
    });
    await billing.act(order, 'pay');
    const read = async () => (await billing.call('GET', `orders/${order.id}`, { accountId })).body;
    expect(await read()).toMatchObject({ state: 'redirected', declined_at: expect.any(String) });
    await billing.pass(6 * MINUTE_MS);
    await billing.runJob(OpenOrdersJob);
    expect(await billing.stateOf(accountId, order)).toBe('redirected');
    await billing.pass(HOUR_MS);
    await billing.runJob(OpenOrdersJob);
    expect(await billing.stateOf(accountId, order)).toBe('expired');
    await billing.act(order, 'pay');
    expect(await billing.stateOf(accountId, order)).toBe('paid');
  });

  it('is not charged after it has expired, even if PayPal refused its approved payment until then', async () => {
    const order = await billing.order(accountId, 15_000, 'paypal');
    const restricted = jest.spyOn(billing.simulator.paypal.orders, 'capture');
    restricted.mockImplementation(() => {
      throw PaypalRefusal.unprocessable('PAYEE_ACCOUNT_RESTRICTED', 'The account is restricted.');
    });
    await billing.act(order, 'pay');
    await billing.pass(DAY_MS + HOUR_MS + MINUTE_MS);
    await billing.runJob(OpenOrdersJob);
    restricted.mockRestore();
    await billing.retry();
    expect(await billing.stateOf(accountId, order)).toBe('expired');
    expect(await billing.events(accountId)).toEqual([]);
  });

  it('is followed up even if hundreds of earlier orders get no answer', async () => {
    await billing.order(accountId, 15_000, 'paypal');
    await billing.database.query(
      `insert into orders select (jsonb_populate_record(o, jsonb_build_object(
         'id', '00000000-0000-7000-8000-' || lpad(i::text, 12, '0'),
         'request_key', 'gone ' || i, 'checkout_id', 'GONE' || i))).*
       from orders o, generate_series(1, 200) i where account_id = $1`,
      [accountId],
    );
    accountId = billing.newAccount();
    const order = await billing.order(accountId, 15_000, 'paypal');
    billing.simulator.paypal.callbacks.faults.drop = true;
    await billing.act(order, 'pay');
    billing.simulator.paypal.callbacks.faults.drop = false;
    await billing.pass(5 * MINUTE_MS + 1);
    for (let run = 1; run <= 2; run += 1) await billing.runJob(OpenOrdersJob);
    expect(await billing.stateOf(accountId, order)).toBe('paid');
    await billing.database.query(
      `update orders set state = 'expired' where checkout_id like 'GONE%'`,
    );
  });

  it('S85: an order cannot be dropped by another account', async () => {
    const order = await billing.order(accountId);
    expect((await drop(order.id, billing.newAccount())).status).toBe(404);
    expect(await billing.stateOf(accountId, order)).toBe('redirected');
  });

  it('shows that PayPal has refused the payment, until another payment method succeeds', async () => {
    const order = await billing.order(accountId, 15_000, 'paypal');
    await billing.act(order, 'decline');
    const read = async () => (await billing.call('GET', `orders/${order.id}`, { accountId })).body;
    expect(await read()).toMatchObject({
      state: 'redirected',
      declined_at: billing.clock.now().toISOString(),
      redirect_url: order.redirect_url,
    });
    await billing.act(order, 'pay');
    expect(await read()).toMatchObject({ state: 'paid', declined_at: null });
  });

  it('whose page was never opened gets no page from a repeated request while the account is suspended', async () => {
    const headers = { 'idempotency-key': newId() };
    const body = { product: 'package', credits: 15_000, processor: 'stripe' };
    const repeat = () => billing.call('POST', 'orders', { accountId, body, headers });
    const opened = { status: 201, body: { state: 'redirected' } };
    billing.simulator.apiFaults.lostRequests = Infinity;
    expect((await repeat()).status).toBe(503);
    billing.simulator.apiFaults.lostRequests = 0;
    await billing.deliver('suspended', accountId);
    expect(await repeat()).toMatchObject({ status: 403, body: { code: 'account_suspended' } });
    await billing.deliver('unsuspended', accountId);
    expect(await repeat()).toMatchObject(opened);
    await billing.deliver('suspended', accountId);
    expect(await repeat()).toMatchObject(opened);
  });

  it.each([
    ['amount', { amount_received: 100 }],
    ['currency', { currency: 'jpy' }],
  ])(
    'S47: is set aside if its payment has a different %s, although its checkout has the right one',
    async (what, change) => {
      const order = await billing.order(accountId);
      billing.simulator.callbacks.hold();
      await pressButton(order.redirect_url!, 'pay');
      billing.simulator.callbacks.takeHeld();
      Object.assign(billing.simulator.world.all('payment_intent')[0], change);
      await billing.call('POST', `orders/${order.id}/return`, { accountId });
      const { body } = await billing.call('GET', 'operator/set-aside', { caller: 'cli' });
      const reason = `the payment has a different ${what}`;
      expect(body).toContainEqual(expect.objectContaining({ id: order.id, reason }));
      expect(await billing.events(accountId)).toEqual([]);
    },
  );
});
