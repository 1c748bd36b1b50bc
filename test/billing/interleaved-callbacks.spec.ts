import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ChosenProcessor, OrderAnswer } from '#libs/contracts';
import { DAY_MS, addMonths } from '#libs/platform';
import type { Callback } from '../../apps/simulators/src/payments/callback-sender.js';
import { MissedEventsJob } from '../../apps/billing/src/missed-news/missed-events.job.js';
import { OpenOrdersJob } from '../../apps/billing/src/missed-news/open-orders.job.js';
import { Random } from '../random.js';
import { BillingUnderTest, CALLBACK_SECRET, PAYPAL_WEBHOOK_ID } from './billing-under-test.js';
import { pressButton } from './hosted-page.js';

const CALLBACKS = 1_000;
const BATCH = 20;
const PROCESSORS = ['stripe', 'paypal'] as const;
const SECRETS = { stripe: CALLBACK_SECRET, paypal: PAYPAL_WEBHOOK_ID };
const DOLLAR = 1_000_000n;

interface HeldCallback {
  processor: ChosenProcessor;
  callback: Callback;
}

interface Books {
  id: string;
  paid: bigint[];
  takenBack: bigint;
  orders: Map<string, { order: OrderAnswer; state: string }>;
}

describe('callbacks from both processors', () => {
  const random = new Random(12);
  let billing: BillingUnderTest;
  let accounts: Books[];
  let start: Date;
  const pool: HeldCallback[] = [];

  beforeAll(async () => {
    billing = await BillingUnderTest.start();
  });
  afterAll(() => billing.stop());

  const sendersOf = () => {
    const { callbacks, paypal } = billing.simulator;
    return [['stripe', callbacks] as const, ['paypal', paypal.callbacks] as const];
  };
  function collect(): void {
    for (const [processor, sender] of sendersOf()) {
      for (const callback of sender.takeHeld()) pool.push({ processor, callback });
      sender.hold();
    }
  }

  async function order(books: Books, body: object): Promise<OrderAnswer> {
    const answer = await billing.call('POST', 'orders', { accountId: books.id, body });
    expect(answer.status).toBe(201);
    const made = answer.body as OrderAnswer;
    books.orders.set(made.id, { order: made, state: 'paid' });
    books.paid.push(BigInt(made.amount_micros));
    await pressButton(made.redirect_url as string, 'pay');
    return made;
  }
  const comeBack = (books: Books, { id }: OrderAnswer) =>
    billing.call('POST', `orders/${id}/return`, { accountId: books.id });
  const buy = (books: Books, processor: ChosenProcessor, credits: number) =>
    order(books, { product: 'package', credits, processor });

  function paymentAt(processor: ChosenProcessor): string {
    const { world, paypal } = billing.simulator;
    return processor === 'stripe'
      ? world.all('payment_intent')[0].id
      : paypal.world.all('capture').at(-1)!.id;
  }
  function refund(processor: ChosenProcessor, payment: string, dollars: number): void {
    const { payments, paypal } = billing.simulator;
    const value = dollars.toFixed(2);
    if (processor === 'paypal') {
      paypal.captures.refund(payment, { amount: { currency_code: 'USD', value } });
    } else payments.refund({ payment_intent: payment, amount: dollars * 100 });
  }
  function dispute(processor: ChosenProcessor, payment: string, decision: 'won' | 'lost'): void {
    const { payments, paypal } = billing.simulator;
    if (processor === 'paypal') {
      paypal.captures.decideDispute(paypal.captures.dispute(payment).dispute_id, decision);
    } else payments.decideDispute(payments.dispute(payment).id, decision);
  }

  async function live(books: Books, [first, second]: ChosenProcessor[]): Promise<void> {
    for (const processor of [first, second]) {
      const refunded = await buy(books, processor, 15_000);
      await comeBack(books, refunded);
      refund(processor, paymentAt(processor), 20);
      books.takenBack += 20n * DOLLAR;
      books.orders.get(refunded.id)!.state = 'partially_refunded';
      const lost = await buy(books, processor, 5_000);
      await comeBack(books, lost);
      dispute(processor, paymentAt(processor), 'lost');
      books.takenBack += BigInt(lost.amount_micros);
      books.orders.get(lost.id)!.state = 'disputed';
      const won = await buy(books, processor, 10_000);
      await comeBack(books, won);
      dispute(processor, paymentAt(processor), 'won');
      // Billing is informed of this only by callbacks.
      for (let i = 0; i < 5; i += 1) await buy(books, processor, 6_000);
    }
    await order(books, { product: 'subscription', sku: 'api-15K-month', processor: first });
  }

  async function deliver({ processor, callback }: HeldCallback): Promise<void> {
    const headers = callback.headers(SECRETS[processor]);
    const body = Buffer.from(callback.body);
    const answer = await billing.call('POST', `callbacks/${processor}`, { body, headers });
    expect(answer.status).toBe(200);
  }

  async function workOffAll(): Promise<void> {
    for (let round = 0; round < 5; round += 1) await billing.retry();
  }

  async function paidOf({ id }: Books): Promise<bigint[]> {
    const rows = await billing.database.query<{ amount: string }>(
      'select amount_micros as amount from payments where account_id = $1',
      [id],
    );
    return rows.map(({ amount }) => BigInt(amount));
  }
  async function takenBackOf({ id }: Books): Promise<bigint> {
    const [{ sum }] = await billing.database.query<{ sum: string }>(
      `select coalesce(sum(amount_micros), 0) as sum from reversals
       where account_id = $1 and state = 'final'`,
      [id],
    );
    return BigInt(sum);
  }

  it('S44: 1,000 random callbacks, interleaved over two accounts, end in the right state', async () => {
    start = billing.clock.now();
    accounts = [0, 1].map(() => {
      return { id: billing.newAccount(), paid: [], takenBack: 0n, orders: new Map() };
    });
    collect();
    await live(accounts[0], [...PROCESSORS]);
    await live(accounts[1], [...PROCESSORS].toReversed());
    await billing.pass(addMonths(start, 1).getTime() - start.getTime() + DAY_MS);
    for (const books of accounts) books.paid.push(27n * DOLLAR);
    collect();
    for (let sent = 0; sent < CALLBACKS; sent += BATCH) {
      await Promise.all(Array.from({ length: BATCH }, () => deliver(random.pick(pool))));
      if (random.chance(0.5)) await billing.settle();
      collect();
    }
    await billing.get(MissedEventsJob).runOnce();
    await workOffAll();
    collect();
    await billing.get(OpenOrdersJob).runOnce();
    await workOffAll();
    for (const books of accounts) {
      const ascending = (a: bigint, b: bigint) => (a < b ? -1 : 1);
      expect((await paidOf(books)).toSorted(ascending)).toEqual(books.paid.toSorted(ascending));
      expect(await takenBackOf(books)).toBe(books.takenBack);
      for (const { order: made, state } of books.orders.values()) {
        expect([made.id, await billing.stateOf(books.id, made)]).toEqual([made.id, state]);
      }
      const { body } = await billing.call('GET', 'subscriptions', { accountId: books.id });
      expect(body.subscriptions).toMatchObject([
        { state: 'active', paid_through: addMonths(start, 2).toISOString() },
      ]);
      const confirmed = (await billing.events(books.id)).filter(
        ({ type }) => type === 'billing.payment-confirmed',
      );
      expect(confirmed).toHaveLength(books.paid.length);
    }
    expect(await billing.violations()).toEqual([]);
    expect(billing.logLines.splice(0)).toEqual([]);
  });
});
