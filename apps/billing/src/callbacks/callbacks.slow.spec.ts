import { gzipSync } from 'node:zlib';
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
import type { OrderAnswer, PaymentReversed } from '#libs/contracts';
import { HOUR_MS, MINUTE_MS, newId } from '#libs/platform';
import { scrape } from '#test/environment';
import { BillingUnderTest, CALLBACK_SECRET } from '../../../../test/billing/billing-under-test.js';
import { pressButton } from '../../../../test/billing/hosted-page.js';
import { permutationsOf } from '../../../../test/permutations.js';
import { signedCallback } from '../../../../test/billing/signed-callback.js';
import type { Callback } from '../../../simulators/src/payments/callback-sender.js';
import { MissedEventsJob } from '../missed-news/missed-events.job.js';
import { PaymentProcessors } from '../processors/payment-processors.js';

describe('callbacks', () => {
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

  const eventTypes = async () => (await billing.events(accountId)).map(({ type }) => type);

  /** Returns an event about an order's checkout in the processor's format. */
  const eventOf = (id: string, extra: object = {}) =>
    Buffer.from(
      JSON.stringify({
        id: `evt_test_${newId().replaceAll('-', '')}`,
        object: 'v2.core.event',
        created: billing.clock.now().toISOString(),
        livemode: false,
        type: 'v1.checkout.session.completed',
        related_object: { id, type: 'checkout.session', url: `/v1/checkout/sessions/${id}` },
        ...extra,
      }),
    );

  const send = (raw: Buffer, secret = CALLBACK_SECRET) =>
    billing.call('POST', 'callbacks/stripe', {
      body: raw,
      headers: signedCallback(raw, secret, billing.clock.now()),
    });

  const sessionOf = () => billing.simulator.world.all('checkout.session')[0].id;

  it('S44: a hundred copies of one callback cause one payment', async () => {
    const order = await billing.order(accountId);
    await billing.act(order, 'pay');
    const raw = eventOf(sessionOf());
    const answers = await Promise.all(Array.from({ length: 100 }, () => send(raw)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    await billing.settle();
    expect(await eventTypes()).toEqual(['billing.payment-confirmed']);
    const [{ count }] = await billing.database.query<{ count: string }>(
      `select count(*) from callbacks where event_id = $1`,
      [(JSON.parse(raw.toString()) as { id: string }).id],
    );
    expect(count).toBe('1');
  });

  it('S44: a hundred different events of one payment cause one payment', async () => {
    const order = await billing.order(accountId);
    await billing.act(order, 'pay');
    for (let i = 0; i < 100; i += 1) await send(eventOf(sessionOf()));
    await billing.settle();
    expect(await eventTypes()).toEqual(['billing.payment-confirmed']);
  });

  it.each(['together', 'in sequence', 'in reverse order'])(
    'the two callbacks of a package, %s, cause one fetch of its checkout',
    async (how) => {
      const { callbacks, stripe } = billing.simulator;
      const order = await billing.order(accountId);
      callbacks.hold();
      await pressButton(order.redirect_url as string, 'pay');
      const held = callbacks.takeHeld().map(({ body }) => Buffer.from(body));
      expect(held).toHaveLength(2);
      if (how === 'in reverse order') held.reverse();
      const before = stripe.calls;
      if (how === 'together') await Promise.all(held.map((raw) => send(raw)));
      for (const raw of held) {
        await send(raw);
        await billing.settle();
      }
      expect(await billing.stateOf(accountId, order)).toBe('paid');
      await billing.call('POST', `orders/${order.id}/return`, { accountId });
      const fetched = stripe.requestsAfter(before).map(({ path }) => path);
      expect(fetched.filter((path) => path.includes('/checkout/sessions/'))).toHaveLength(1);
      expect(fetched.length).toBeLessThanOrEqual(2);
    },
  );

  it('S41, S42, S45: a callback that is not from the processor gets 400, is stored with the reason, and changes nothing', async () => {
    const order = await billing.order(accountId);
    const raw = eventOf(sessionOf());
    const headers = signedCallback(raw, CALLBACK_SECRET, billing.clock.now());
    const old = signedCallback(
      raw,
      CALLBACK_SECRET,
      new Date(billing.clock.now().getTime() - 301_000),
    );
    const post = (body: Buffer, given: Record<string, string>) =>
      billing.call('POST', 'callbacks/stripe', { body, headers: given });
    const signed = (header: string) => ({ 'stripe-signature': header });
    const [freshTime] = headers['stripe-signature'].split(',');
    const flipped = Buffer.from(raw);
    flipped[5] ^= 1;
    const live = eventOf(sessionOf(), { livemode: true });
    const connected = eventOf(sessionOf(), { context: 'acct_1Connected' });
    for (const [answer, reason] of [
      [await post(raw, {}), 'unsigned'],
      [await post(flipped, headers), 'wrong_signature'],
      [await send(raw, 'the secret of another endpoint'), 'wrong_signature'],
      [await post(raw, old), 'stale'],
      [await post(raw, signed(`${freshTime},${old['stripe-signature']}`)), 'unsigned'],
      [await send(live), 'wrong_mode'],
      [await send(connected), 'wrong_account'],
      [await send(Buffer.from('{"object":"event"}')), 'malformed'],
      [await send(eventOf('in_\u0000')), 'malformed'],
    ] as const) {
      expect(answer).toMatchObject({ status: 400, body: { code: 'callback_rejected', reason } });
    }
    const kept = await billing.database.query<{ reason: string }>(
      'select reason from rejected_callbacks',
    );
    expect(kept.map(({ reason }) => reason).toSorted()).toEqual([
      'malformed',
      'malformed',
      'stale',
      'unsigned',
      'unsigned',
      'wrong_account',
      'wrong_mode',
      'wrong_signature',
      'wrong_signature',
    ]);
    await billing.settle();
    expect(await billing.stateOf(accountId, order)).toBe('redirected');
  });

  it('up to 1,000 rejected callbacks a day are stored, with up to 4 KB each; all others are only counted', async () => {
    const raw = Buffer.alloc(300_000, 'x');
    await billing.database.query('delete from rejected_callbacks');
    await billing.database.query(
      `insert into rejected_callback_counts (day, processor, reason, count)
       values ($1, 'stripe', 'filler', 990)`,
      [billing.clock.now()],
    );
    for (let i = 0; i < 20; i += 1) await billing.call('POST', 'callbacks/stripe', { body: raw });
    const [{ kept, bytes }] = await billing.database.query<{ kept: number; bytes: number }>(
      `select count(*)::int as kept, max(length(raw)) as bytes from rejected_callbacks`,
    );
    expect(bytes).toBe(4_096);
    expect(kept).toBeLessThan(20);
    const [{ total }] = await billing.database.query<{ total: number }>(
      `select sum(count)::int as total from rejected_callback_counts where day = $1`,
      [billing.clock.now()],
    );
    expect(total).toBeGreaterThanOrEqual(1_010);
  });

  it('S125: forged callbacks that have not been counted yet do not delay a genuine callback', async () => {
    const forged = () => billing.call('POST', 'callbacks/stripe', { body: Buffer.from('forged') });
    expect((await forged()).status).toBe(400);
    const order = await billing.order(accountId);
    await pressButton(order.redirect_url as string, 'pay');
    let waiting: Promise<unknown>[] = [];
    await billing.database.transaction(async (transaction) => {
      await transaction.query('select * from rejected_callback_counts for update');
      waiting = Array.from({ length: 50 }, forged);
      expect((await send(eventOf(sessionOf()))).status).toBe(200);
    });
    await Promise.all(waiting);
    const [{ total }] = await billing.database.query<{ total: number }>(
      `select sum(count)::int as total from rejected_callback_counts where reason = 'unsigned'`,
    );
    expect(total).toBeGreaterThanOrEqual(51);
    await billing.settle();
  });

  it('S46: a body over 1 MiB is rejected; a body of 1 MiB is verified', async () => {
    const limit = 1024 * 1024;
    expect(await send(Buffer.alloc(limit + 1, 'x'))).toMatchObject({ status: 413 });
    expect(await send(Buffer.alloc(limit, 'x'))).toMatchObject({ status: 400 });
  });

  it('S45: metrics count accepted callbacks, and rejected callbacks by reason', async () => {
    const countOf = async (outcome: string) =>
      (await scrape(billing.service.url)).get(
        `dds_billing_callbacks_total{outcome="${outcome}"}`,
      ) ?? 0;
    const order = await billing.order(accountId);
    expect(order.state).toBe('redirected');
    const outcomes = ['accepted', 'unsigned', 'wrong_signature', 'wrong_mode'];
    const before = await Promise.all(outcomes.map(countOf));
    await send(eventOf(sessionOf()));
    await billing.call('POST', 'callbacks/stripe', { body: eventOf(sessionOf()) });
    await send(eventOf(sessionOf()), 'the secret of another endpoint');
    await send(eventOf(sessionOf(), { livemode: true }));
    const after = await Promise.all(outcomes.map(countOf));
    expect(after.map((count, at) => count - before[at])).toEqual([1, 1, 1, 1]);
    await billing.settle();
  });

  it('S46: a gzipped body is verified as received and never decompressed', async () => {
    const order = await billing.order(accountId);
    expect(order.state).toBe('redirected');
    const event = eventOf(sessionOf());
    const packed = gzipSync(event);
    // One signature is valid for the bytes as received, the other for the decompressed content.
    for (const signed of [packed, event]) {
      const headers = signedCallback(signed, CALLBACK_SECRET, billing.clock.now());
      const answer = await billing.call('POST', 'callbacks/stripe', {
        body: packed,
        headers: { ...headers, 'content-encoding': 'gzip' },
      });
      expect(answer.status).toBe(400);
    }
    await billing.settle();
    expect(await billing.stateOf(accountId, order)).toBe('redirected');
  });

  it('S46: a callback that is forwarded as JSON instead of bytes, or for an unknown processor, is rejected', async () => {
    expect(await billing.call('POST', 'callbacks/stripe', { body: {} })).toMatchObject({
      status: 415,
    });
    expect(
      await billing.call('POST', 'callbacks/manual', { body: Buffer.from('{}') }),
    ).toMatchObject({
      status: 404,
    });
  });

  it('S47: the processor’s amount, currency and order are compared with our order', async () => {
    for (const [change, because] of [
      [{ amount_total: 100 }, 'the checkout has a different amount'],
      [{ currency: 'jpy' }, 'the checkout has a different currency'],
      [{ client_reference_id: newId() }, 'the checkout names another order'],
    ] as const) {
      const order = await billing.order(accountId);
      const [session] = billing.simulator.world.all('checkout.session');
      Object.assign(session, change);
      await billing.act(order, 'pay');
      await billing.call('POST', `orders/${order.id}/return`, { accountId });
      const [row] = await billing.database.query<{ because: string }>(
        'select set_aside_because as because from orders where id = $1',
        [order.id],
      );
      expect([change, row.because]).toEqual([change, because]);
      expect(await eventTypes()).toEqual([]);
    }
  });

  it('S47: an event about a checkout that is not ours grants nothing and remains visible', async () => {
    const raw = eventOf('cs_test_unknown');
    expect(await send(raw)).toMatchObject({ status: 200 });
    await billing.settle();
    const [row] = await billing.database.query<object>(
      `select reason, tries, state from work where payload ->> 'id' = 'cs_test_unknown'`,
    );
    const reason = expect.stringMatching(/^refused \(resource_missing: .+\)$/);
    expect(row).toEqual({ reason, tries: 1, state: 'waiting' });
  });

  describe('a purchase that is refunded and disputed', () => {
    interface Purchase {
      accountId: string;
      order: OrderAnswer;
      callbacks: readonly Callback[];
    }

    /**
     * Makes a purchase that is paid, partly refunded and disputed, and whose dispute is lost, before any callback
     * arrives.
     */
    async function purchase(): Promise<Purchase> {
      const { callbacks, payments, world } = billing.simulator;
      const account = billing.newAccount();
      const order = await billing.order(account);
      callbacks.hold();
      await billing.act(order, 'pay');
      const payment = world.all('checkout.session')[0].payment_intent as string;
      payments.refund({ payment_intent: payment, amount: 1_000 });
      payments.decideDispute(payments.dispute(payment).id, 'lost');
      return { accountId: account, order, callbacks: callbacks.takeHeld() };
    }

    async function outcomeOf({ accountId: account, order }: Purchase): Promise<string> {
      const said = (await billing.events(account)).map(({ type, data }) => {
        const { phase, cause, lines } = data as unknown as PaymentReversed;
        return [type, cause, phase, lines[0].refundedMicros].join(' ');
      });
      return JSON.stringify([said.sort(), await billing.stateOf(account, order)]);
    }

    it('S49: in whatever order its callbacks arrive, a refunded and disputed purchase leads to the same rows and events', async () => {
      const outcomes = new Set<string>();
      for (const order of permutationsOf(4)) {
        const bought = await purchase();
        expect(bought.callbacks).toHaveLength(6);
        // Events 3 to 5 name the dispute; they are repeated last, in the wrong order.
        for (const at of [...order, 5, 4]) {
          await send(Buffer.from(bought.callbacks[at].body));
          await billing.settle();
        }
        outcomes.add(await outcomeOf(bought));
      }
      expect([...outcomes]).toEqual([
        JSON.stringify([
          [
            'billing.payment-confirmed   ',
            'billing.payment-reversed dispute final 54000000',
            'billing.payment-reversed refund final 10000000',
          ],
          'disputed',
        ]),
      ]);
    });
  });

  it('changes without a callback are found by polling', async () => {
    const order = await billing.order(accountId);
    billing.simulator.callbacks.faults.drop = true;
    // The event of the declined payment is of no use.
    await billing.act(order, 'decline');
    await billing.act(order, 'pay');
    billing.simulator.callbacks.faults.drop = false;
    await billing.pass(MINUTE_MS);
    await billing.get(MissedEventsJob).runOnce();
    await billing.settle();
    expect(await billing.stateOf(accountId, order)).toBe('paid');
    const [run] = await billing.database.query<{ healed: number; failed: number }>(
      `select healed, failed from healing_runs where job = 'missed-events' order by id desc limit 1`,
    );
    expect(run.healed).toBeGreaterThan(0);
    expect(run.failed).toBe(0);
    const useless = `select type from callbacks where source = 'listing' and kind is null`;
    expect(await billing.database.query(useless)).toEqual([]);
    await billing.pass(HOUR_MS);
    await billing.get(MissedEventsJob).runOnce();
    expect(await eventTypes()).toEqual(['billing.payment-confirmed']);
  });

  it('a failure to read one processor’s missed events does not stop the other’s from being read', async () => {
    const order = await billing.order(accountId, 15_000, 'paypal');
    const { callbacks } = billing.simulator.paypal;
    callbacks.faults.drop = true;
    await billing.act(order, 'pay');
    callbacks.faults.drop = false;
    await billing.pass(MINUTE_MS);
    const stripe = billing.get(PaymentProcessors).get('stripe');
    jest.spyOn(stripe, 'listSince').mockRejectedValueOnce(new Error('too much happened'));
    await expect(billing.get(MissedEventsJob).runOnce()).rejects.toThrow('could not be read');
    await billing.settle();
    expect(await billing.stateOf(accountId, order)).toBe('paid');
  });

  it.each(['stripe', 'paypal'] as const)(
    'missed events at %s are found although our clock was 25 hours ahead at the last check',
    async (processor) => {
      billing.clock.advance(25 * HOUR_MS);
      await billing.get(MissedEventsJob).runOnce();
      billing.clock.advance(-25 * HOUR_MS);
      const order = await billing.order(accountId, 15_000, processor);
      const { callbacks, paypal } = billing.simulator;
      callbacks.faults.drop = paypal.callbacks.faults.drop = true;
      await billing.act(order, 'pay');
      callbacks.faults.drop = paypal.callbacks.faults.drop = false;
      await billing.pass(HOUR_MS);
      await billing.get(MissedEventsJob).runOnce();
      await billing.settle();
      expect(await billing.stateOf(accountId, order)).toBe('paid');
    },
  );
});
