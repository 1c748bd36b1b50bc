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
import { MaintenanceDatabase } from '#libs/database';
import { DAY_MS, HOUR_MS } from '#libs/platform';
import {
  BillingUnderTest,
  PAYPAL_WEBHOOK_ID,
} from '../../../../test/billing/billing-under-test.js';
import { ForgetCallbacksJob } from './forget-callbacks.job.js';
import { OpenOrdersJob } from '../missed-news/open-orders.job.js';

const MIB = 1024 * 1024;

describe('callbacks from PayPal', () => {
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

  const sign = (body: string | Buffer, webhookId = PAYPAL_WEBHOOK_ID) =>
    billing.simulator.paypal.identity.headersFor(body, webhookId);
  const post = (body: Buffer, headers: Record<string, string>) =>
    billing.call('POST', 'callbacks/paypal', { body, headers });
  const eventTypes = async () => (await billing.events(accountId)).map(({ type }) => type);

  /** Returns an approved order, and the callback that PayPal would have sent about it. */
  async function approved() {
    const { callbacks } = billing.simulator.paypal;
    const order = await billing.order(accountId, 15_000, 'paypal');
    callbacks.hold();
    await billing.act(order, 'pay');
    const [{ body }] = callbacks.takeHeld();
    return { order, raw: Buffer.from(body) };
  }

  it('S44: a hundred copies of one callback cause one capture and one payment', async () => {
    const { order, raw } = await approved();
    const answers = await Promise.all(Array.from({ length: 100 }, () => post(raw, sign(raw))));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    await billing.settle();
    expect(await eventTypes()).toEqual(['billing.payment-confirmed']);
    expect(await billing.stateOf(accountId, order)).toBe('paid');
    const [{ count }] = await billing.database.query<{ count: string }>(
      `select count(*) from callbacks where event_id = $1`,
      [(JSON.parse(raw.toString()) as { id: string }).id],
    );
    expect(count).toBe('1');
  });

  it('S45: a callback that is not from PayPal gets 400, is stored with the reason, and changes nothing', async () => {
    const { order, raw } = await approved();
    const headers = sign(raw);
    const without = Object.keys(headers).map((name) => {
      const { [name]: _, ...rest } = headers;
      return rest;
    });
    const flipped = Buffer.from(raw);
    flipped[9] ^= 1;
    const certificate = (url: string) => ({ ...headers, 'paypal-cert-url': url });
    const certs = '/v1/notifications/certs/CERT-1';
    for (const [body, given, reason] of [
      ...without.map((some) => [raw, some, 'unsigned'] as const),
      [flipped, headers, 'wrong_signature'],
      [raw, sign(raw, '0AB57372M0AB57372'), 'wrong_signature'],
      [raw, { ...headers, 'paypal-auth-algo': 'SHA1withRSA' }, 'wrong_signature'],
      [raw, certificate(`https://attacker.example${certs}`), 'wrong_signature'],
      [raw, certificate(`https://api.paypal.com.attacker.example${certs}`), 'wrong_signature'],
      [raw, certificate(`https://api.paypal.com@attacker.example${certs}`), 'wrong_signature'],
      [raw, certificate(`http://api.paypal.com${certs}`), 'wrong_signature'],
      [raw, certificate(`https://api.paypal.com${certs}`), 'wrong_mode'],
      [raw, certificate(`https://api.sandbox.paypal.com${certs}`), 'wrong_mode'],
      [raw, { ...headers, 'paypal-transmission-time': '2020-01-01T00:00:00Z' }, 'stale'],
      [raw, { ...headers, 'paypal-transmission-time': 'yesterday' }, 'stale'],
    ] as const) {
      const answer = await post(body, given);
      expect(answer).toMatchObject({ status: 400, body: { code: 'callback_rejected', reason } });
    }
    await billing.settle();
    expect(await billing.stateOf(accountId, order)).toBe('redirected');
    const [{ kept }] = await billing.database.query<{ kept: number }>(
      `select count(*)::int as kept from rejected_callbacks where processor = 'paypal'`,
    );
    expect(kept).toBe(16);
  });

  it('S46: a body over 1 MiB is rejected; a body of 1 MiB is verified', async () => {
    const large = Buffer.alloc(MIB, 'x');
    expect(await post(large, sign(large))).toMatchObject({
      status: 400,
      body: { reason: 'malformed' },
    });
    expect(await post(Buffer.alloc(MIB + 1, 'x'), sign(large))).toMatchObject({ status: 413 });
  });

  it('S46: a callback is answered before its object is fetched', async () => {
    const { order, raw } = await approved();
    const { api } = billing.simulator.paypal;
    // After the first callback, even a forged one, the certificate is known.
    expect((await post(raw, sign('{}'))).status).toBe(400);
    const before = api.calls;
    expect((await post(raw, sign(raw))).status).toBe(200);
    expect(api.calls).toBe(before);
    await billing.settle();
    expect(api.calls).toBeGreaterThan(before);
    expect(await billing.stateOf(accountId, order)).toBe('paid');
  });

  it('S44: delayed, repeated and reversed callbacks have the same result as callbacks in order', async () => {
    const { callbacks, captures, world } = billing.simulator.paypal;
    const order = await billing.order(accountId, 15_000, 'paypal');
    await billing.act(order, 'pay');
    const capture = world.all('capture').at(-1)!.id;
    const dollars = ['1.00', '2.00', '3.00'];
    const arrivals = callbacks.deliveries.length;
    callbacks.faults = { ...callbacks.faults, delayMs: 40, duplicates: 1, reorder: true };
    const sentAt = performance.now();
    const refunds = dollars.map((value) =>
      captures.refund(capture, { amount: { currency_code: 'USD', value } }),
    );
    expect(callbacks.deliveries).toHaveLength(arrivals);
    await billing.settle();
    expect(performance.now() - sentAt).toBeGreaterThan(3 * 40 - 3);
    callbacks.faults = { ...callbacks.faults, delayMs: 0, duplicates: 0, reorder: false };
    const stored = await billing.database.query<{ id: string }>(
      'select external_id as id from callbacks c where external_id = any($1) order by c.id',
      [refunds.map(({ id }) => id)],
    );
    expect(stored.map(({ id }) => id)).toEqual(refunds.map(({ id }) => id).toReversed());
    expect(callbacks.deliveries.length - arrivals).toBe(2 * refunds.length);
    const taken = await billing.database.query<{ micros: string }>(
      'select amount_micros as micros from reversals where account_id = $1 order by 1',
      [accountId],
    );
    expect(taken.map(({ micros }) => micros)).toEqual(['1000000', '2000000', '3000000']);
    expect(await billing.stateOf(accountId, order)).toBe('partially_refunded');
  });

  it('S44: the body of a callback is deleted after 30 days, and its id remains', async () => {
    const { raw } = await approved();
    await post(raw, sign(raw));
    await post(raw, {});
    await billing.settle();
    const kept = async () => {
      const [row] = await billing.database.query<{ words: number; ids: number; refused: number }>(
        `select count(raw)::int as words, count(*)::int as ids,
           (select count(*)::int from rejected_callbacks) as refused from callbacks`,
      );
      return row;
    };
    const before = await kept();
    expect(before.words).toBeGreaterThan(0);
    expect(before.refused).toBeGreaterThan(0);
    const job = billing.get(ForgetCallbacksJob);
    await job.runOnce();
    expect(await kept()).toEqual(before);
    billing.clock.advance(31 * DAY_MS);
    await job.runOnce();
    expect(await kept()).toEqual({ words: 0, ids: before.ids, refused: 0 });
  });

  it('the bodies of many old callbacks are deleted 1,000 at a time', async () => {
    await billing.database.query(
      `insert into callbacks (id, processor, event_id, type, occurred_at, received_at, source, raw)
       select gen_random_uuid(), 'paypal', 'old ' || n, 'OLD', $1, $1, 'callback', 'x' from generate_series(1, 1001) n`,
      [billing.clock.now()],
    );
    billing.clock.advance(31 * DAY_MS);
    const asked = jest.spyOn(billing.get(MaintenanceDatabase), 'query');
    await billing.runJob(ForgetCallbacksJob);
    expect(asked.mock.calls.filter(([sql]) => sql.startsWith('update'))).toHaveLength(2);
    const left = 'select from callbacks where raw is not null';
    expect(await billing.database.query(left)).toEqual([]);
  });

  it('S44: the callback alone completes the payment of a customer who never returns', async () => {
    const order = await billing.order(accountId, 15_000, 'paypal');
    await billing.act(order, 'pay');
    expect(await billing.stateOf(accountId, order)).toBe('paid');
    expect(await eventTypes()).toEqual(['billing.payment-confirmed']);
  });

  it('S48: a customer’s return captures an approved order and no other order', async () => {
    const { callbacks } = billing.simulator.paypal;
    const order = await billing.order(accountId, 15_000, 'paypal');
    const back = () => billing.call('POST', `orders/${order.id}/return`, { accountId });
    expect((await back()).body.state).toBe('redirected');
    callbacks.faults.drop = true;
    await billing.act(order, 'decline');
    expect((await back()).body.state).toBe('redirected');
    await billing.act(order, 'pay');
    callbacks.faults.drop = false;
    expect((await back()).body.state).toBe('paid');
    expect(await eventTypes()).toEqual(['billing.payment-confirmed']);
  });

  it('an order that PayPal no longer returns expires a day later', async () => {
    const order = await billing.order(accountId, 15_000, 'paypal');
    await billing.pass(4 * HOUR_MS);
    await billing.get(OpenOrdersJob).runOnce();
    expect(await billing.stateOf(accountId, order)).toBe('redirected');
    await billing.pass(DAY_MS);
    await billing.get(OpenOrdersJob).runOnce();
    expect(await billing.stateOf(accountId, order)).toBe('expired');
  });

  it('an order of a deleted account is closed, and approving the order takes no money', async () => {
    const order = await billing.order(accountId, 15_000, 'paypal');
    await billing.deliver('deleted', accountId);
    await billing.follow();
    await billing.act(order, 'pay');
    expect(await billing.stateOf(accountId, order)).toBe('cancelled');
    expect(billing.simulator.paypal.world.get('order', checkoutOf(order.redirect_url)).status).toBe(
      'APPROVED',
    );
  });
});

const checkoutOf = (redirectUrl: string | null) => String(redirectUrl).split('/').at(-1)!;
