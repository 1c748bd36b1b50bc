import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { OrderAnswer } from '#libs/contracts';
import { Metrics } from '#libs/platform';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { pressButton } from '../../../../test/billing/hosted-page.js';

/**
 * A value that a later version of a processor may send, and the number of fetches after which an operator is alerted.
 */
const WORD = 'frozen';
const ROUNDS = 4;

/** An unknown value has no effect. An operator is alerted, and nothing is lost once a release supports the value. */
describe('unknown states', () => {
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

  const said = async () => (await billing.events(accountId)).map(({ type }) => type);
  const newest = <K extends 'checkout.session' | 'payment_intent' | 'subscription' | 'invoice'>(
    kind: K,
  ) => billing.simulator.world.all(kind)[0] as unknown as Record<string, unknown>;

  async function subscribe(): Promise<OrderAnswer> {
    const body = { product: 'subscription', sku: 'api-15K-month', processor: 'stripe' };
    return (await billing.call('POST', 'orders', { accountId, body })).body;
  }
  async function setAside(): Promise<number> {
    const text = await billing.get(Metrics).text();
    return Number(/^dds_billing_set_aside\{kind="objects"[^}]*\} (\d+)$/m.exec(text)?.[1]);
  }
  /** Makes a payment while the processor's object has the state `WORD`, then restores the object's former state. */
  async function during(pay: () => Promise<void>, change: () => () => void): Promise<void> {
    billing.simulator.callbacks.hold();
    await pay();
    const held = billing.simulator.callbacks.takeHeld();
    const restore = change();
    for (const callback of held) billing.simulator.callbacks.send(callback);
    await billing.settle();
    expect(await said()).not.toContain('billing.payment-confirmed');
    for (let round = 1; round < ROUNDS; round += 1) await billing.retry();
    expect(await setAside()).toBeGreaterThan(0);
    expect(await said()).not.toContain('billing.payment-confirmed');
    restore();
    await billing.retry();
    await billing.retry();
    expect(await said()).toContain('billing.payment-confirmed');
    expect(await setAside()).toBe(0);
  }
  const changing = (object: () => Record<string, unknown>, name: string) => () => {
    const found = object();
    const before = found[name];
    found[name] = WORD;
    return () => void (found[name] = before);
  };

  it.each([
    ['checkout.session', 'status'],
    ['checkout.session', 'payment_status'],
    ['payment_intent', 'status'],
  ] as const)('have no effect on a package: %s, %s', async (kind, name) => {
    const order = await billing.order(accountId);
    await during(
      async () => void (await pressButton(order.redirect_url as string, 'pay')),
      changing(() => newest(kind), name),
    );
  });

  it.each([
    ['subscription', 'status'],
    ['invoice', 'status'],
  ] as const)('have no effect on a plan: %s, %s', async (kind, name) => {
    const order = await subscribe();
    await during(
      async () => void (await pressButton(order.redirect_url as string, 'pay')),
      changing(() => newest(kind), name),
    );
  });

  it.each(['refund', 'dispute'] as const)('have no effect on a %s', async (kind) => {
    const order = await billing.order(accountId);
    await billing.act(order, 'pay');
    const { payments } = billing.simulator;
    const id = newest('payment_intent').id as string;
    const object =
      kind === 'refund' ? payments.refund({ payment_intent: id }) : payments.dispute(id);
    const { status } = object;
    Object.assign(object, { status: WORD });
    await billing.settle();
    expect(await billing.stateOf(accountId, order)).toBe('paid');
    Object.assign(object, { status });
    await billing.retry();
    expect(await billing.stateOf(accountId, order)).toBe(
      kind === 'refund' ? 'refunded' : 'disputed',
    );
  });

  it.each(['appeal_needs_response', 'appeal_under_review'])(
    'the money stays withdrawn during an appeal against a lost dispute, without an alert: %s',
    async (status) => {
      const order = await billing.order(accountId);
      await billing.act(order, 'pay');
      const { payments, world } = billing.simulator;
      const dispute = payments.dispute(newest('payment_intent').id as string);
      payments.decideDispute(dispute.id, 'lost');
      await billing.settle();
      Object.assign(dispute, { status });
      world.emit('v1.charge.dispute.closed', dispute);
      await billing.settle();
      const sql = `select reason from work where payload ->> 'id' = $1`;
      expect(await billing.database.query(sql, [dispute.id])).toEqual([]);
      expect(await billing.stateOf(accountId, order)).toBe('disputed');
    },
  );

  it('an unknown billing reason sets the subscription aside until a release supports the reason', async () => {
    const order = await subscribe();
    billing.simulator.callbacks.hold();
    await pressButton(order.redirect_url as string, 'pay');
    const bill = newest('invoice');
    const reason = bill.billing_reason;
    bill.billing_reason = WORD;
    for (const callback of billing.simulator.callbacks.takeHeld()) {
      billing.simulator.callbacks.send(callback);
    }
    await billing.settle();
    expect(await said()).not.toContain('billing.payment-confirmed');
    const because = async () => {
      const sql = 'select set_aside_because as because from subscriptions where account_id = $1';
      const [row] = await billing.database.query<{ because: string | null }>(sql, [accountId]);
      return row.because;
    };
    expect(await because()).toBe('the bill is not for a period');
    bill.billing_reason = reason;
    const [{ id: callbackId }] = await billing.database.query<{ id: string }>(
      `select id from callbacks where kind = 'bill' and external_id = $1 limit 1`,
      [bill.id],
    );
    const replay = { caller: 'cli' as const, body: { callbackId } };
    expect((await billing.call('POST', 'callbacks/replay', replay)).status).toBe(200);
    expect(await because()).toBeNull();
    expect(await said()).toContain('billing.payment-confirmed');
  });
});
