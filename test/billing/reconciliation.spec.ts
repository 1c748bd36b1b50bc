import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type ChosenProcessor, type ReconciliationAnswer, eventClassOf } from '#libs/contracts';
import { withClient } from '#libs/database';
import { HOUR_MS } from '#libs/platform';
import { waitFor } from '#test/environment';
import type { PaymentProcessor } from '../../apps/billing/src/processors/payment-processor.js';
import { PaymentProcessors } from '../../apps/billing/src/processors/payment-processors.js';
import { EntitlementUnderTest } from '../entitlement/entitlement-under-test.js';
import { BillingUnderTest } from './billing-under-test.js';
import { agreeAtPaypal, pressButton } from './hosted-page.js';
import { BOTH, sideOf } from './sides/side-of.js';

describe('reconciliation', () => {
  let billing: BillingUnderTest;
  let entitlement: EntitlementUnderTest;

  beforeAll(async () => {
    entitlement = await EntitlementUnderTest.start();
    billing = await BillingUnderTest.start({ entitlementUrl: entitlement.service.url });
  });
  afterAll(async () => {
    await billing.stop();
    await entitlement.stop();
  });

  const relayed = new Map<string, number>();
  async function relay(accountId: string): Promise<void> {
    const events = await billing.events(accountId);
    entitlement.clock.set(billing.clock.now());
    for (const { type, data } of events.slice(relayed.get(accountId) ?? 0)) {
      await entitlement.deliver(eventClassOf(type, 1)!, accountId, data);
    }
    relayed.set(accountId, events.length);
  }

  async function reconcile(): Promise<ReconciliationAnswer> {
    entitlement.clock.set(billing.clock.now());
    const answer = await billing.call('POST', 'operator/reconciliations', { caller: 'cli' });
    expect(answer.status).toBe(200);
    return answer.body as ReconciliationAnswer;
  }

  const violated = async () => (await billing.violations()).map(({ id }) => id);

  async function bought(): Promise<string> {
    const accountId = await entitlement.newAccount();
    await billing.act(await billing.order(accountId), 'pay');
    const body = { product: 'subscription', sku: 'api-15K-month', processor: 'stripe' };
    const ordered = await billing.call('POST', 'orders', { accountId, body });
    await billing.act(ordered.body, 'pay');
    return accountId;
  }

  it('purchases, grants and refunds agree in billing, in entitlement and at the processor', async () => {
    const accountId = await bought();
    const [payment] = billing.simulator.world.all('payment_intent');
    billing.simulator.payments.refund({ payment_intent: payment.id });
    await billing.settle();
    await relay(accountId);
    await billing.pass(HOUR_MS);
    expect(await reconcile()).toMatchObject({ lines: 2, payments: 2, findings: [] });
    expect(await violated()).toEqual([]);
  });

  it('after a restore, events that are sent again take effect once at a consumer that lacks them', async () => {
    const page = readFileSync(
      new URL('../../../docs/operations/backup-and-restore.md', import.meta.url),
      'utf8',
    );
    const [, sendAgain] = /-c '(update billing.outbox .*?)'/.exec(page)!;
    const restored = await EntitlementUnderTest.start();
    try {
      const accountId = await bought();
      await relay(accountId);
      const events = await billing.database.query(
        'select id, bucket, key, aggregate, sequence, type, version, occurred_at, data from outbox where key = $1 order by position',
        [accountId],
      );
      const ask = (sql: string, values: unknown[] = []) =>
        withClient(restored.test.url(), async (client) => (await client.query(sql, values)).rows);
      await ask(
        `insert into billing.outbox (id, bucket, key, aggregate, sequence, type, version, occurred_at, data, sent_at)
         select id, bucket, key, aggregate, sequence, type, version, occurred_at, data, clock_timestamp()
         from json_populate_recordset(null::billing.outbox, $1)`,
        [JSON.stringify(events)],
      );
      restored.clock.set(billing.clock.now());
      const publisher = await restored.test.maintenance('billing');
      await restored.transport.startRelay('billing', publisher);
      for (const round of ['first', 'second']) {
        await ask(sendAgain);
        await waitFor(`the ${round} delivery`, async () => {
          const [{ unsent }] = await ask(
            'select count(*)::int as unsent from billing.outbox where sent_at is null',
          );
          return unsent === 0;
        });
        expect(await restored.client.balance(accountId)).toMatchObject({ spendable: 30_000 });
      }
    } finally {
      await restored.stop();
    }
  });

  it('I21: a payment line that never reached entitlement is found and announced again, and then takes effect', async () => {
    const accountId = await bought();
    await billing.pass(HOUR_MS);
    const { findings } = await reconcile();
    expect(findings.map(({ kind, accountId: of }) => [kind, of])).toEqual([
      ['fulfilment', accountId],
      ['fulfilment', accountId],
    ]);
    expect(await violated()).toContain('I21');
    await relay(accountId);
    expect((await reconcile()).findings).toEqual([]);
    expect(await violated()).toEqual([]);
    expect((await entitlement.client.balance(accountId)).spendable).toBe(500 + 15_000 + 15_000);
  });

  it('I21: a payment line whose grant differs from its payment is found', async () => {
    const accountId = await bought();
    await relay(accountId);
    await billing.pass(HOUR_MS);
    const change = (by: number) =>
      billing.database.query(
        `update payment_lines set credits = credits + $2 where kind = 'package' and account_id = $1`,
        [accountId, by],
      );
    await change(1);
    expect((await reconcile()).findings).toMatchObject([
      { kind: 'fulfilment', detail: 'entitlement granted 15000 instead of 15001' },
    ]);
    await change(-1);
    expect((await reconcile()).findings).toEqual([]);
  });

  it('I14: a payment that the processor records differently is found', async () => {
    const accountId = await bought();
    await relay(accountId);
    await billing.pass(HOUR_MS);
    const [intent] = billing.simulator.world.all('payment_intent');
    const { amount_received: amount } = intent;
    intent.amount_received = amount - 100;
    expect((await reconcile()).findings).toMatchObject([
      { kind: 'processor', accountId, detail: 'the processor has succeeded 26000000 USD' },
    ]);
    expect(await violated()).toContain('I14');
    intent.amount_received = amount;
    expect((await reconcile()).findings).toEqual([]);
  });

  it('I14: what cannot be compared at first is compared again at the end; what still cannot be compared then is a finding, and does not stop the rest from being compared', async () => {
    const accountId = await bought();
    await relay(accountId);
    await billing.pass(HOUR_MS);
    const compared = await reconcile();
    const stripe = billing.get(PaymentProcessors).get('stripe');
    const silence = { outcome: 'unknown', cause: new Error('timed out') } as const;
    const fetch = jest.spyOn(stripe, 'fetch').mockResolvedValueOnce(silence);
    const list = jest.spyOn(stripe, 'listMoney').mockResolvedValueOnce(silence);
    expect(await reconcile()).toMatchObject({ payments: compared.payments, findings: [] });
    for (const spied of [fetch, list]) spied.mockRestore();
    const fetchAny = stripe.fetch.bind(stripe);
    const side = sideOf(billing, 'stripe');
    const [id] = await side.paymentsOf(accountId);
    const damaged = jest.spyOn(stripe, 'fetch').mockImplementation(async (ref) => {
      if (ref.id === id) throw new TypeError('it has no metadata');
      return fetchAny(ref);
    });
    const { findings, ...counts } = await reconcile();
    damaged.mockRestore();
    const detail = 'it could not be compared: TypeError: it has no metadata';
    expect(findings).toMatchObject([{ kind: 'processor', accountId, detail, isHealed: false }]);
    const { payments, subscriptions } = compared;
    expect(counts).toMatchObject({ payments, subscriptions });
    expect((await reconcile()).findings).toEqual([]);
  });

  it('I14: money and plans at a processor that is no longer configured are found, and all others are still compared', async () => {
    const accountId = await entitlement.newAccount();
    await billing.act(await billing.order(accountId, 15_000, 'paypal'), 'pay');
    const body = { product: 'subscription', sku: 'api-15K-month', processor: 'paypal' };
    await billing.act((await billing.call('POST', 'orders', { accountId, body })).body, 'pay');
    await relay(accountId);
    const compared = await reconcile();
    const { byName } = billing.get(PaymentProcessors) as unknown as {
      byName: Map<string, PaymentProcessor>;
    };
    const paypal = byName.get('paypal')!;
    byName.delete('paypal');
    const { findings, ...counts } = await reconcile();
    byName.set('paypal', paypal);
    const own = findings.filter(({ accountId: of }) => of === accountId);
    expect(own.map(({ detail }) => detail)).toEqual(
      Array.from({ length: 3 }, () => 'the processor says refused'),
    );
    expect(counts).toMatchObject({
      lines: compared.lines,
      payments: compared.payments,
      subscriptions: compared.subscriptions,
    });
    expect((await reconcile()).findings).toEqual([]);
    billing.logLines.splice(0);
  });

  it('I14: if a processor refuses its list, the finding says why; the results are deleted after 400 days', async () => {
    const paypal = billing.get(PaymentProcessors).get('paypal');
    const message = 'Authorization failed due to insufficient permissions.';
    const refused = { outcome: 'refused', code: 'not_authorized', message } as const;
    const listed = jest.spyOn(paypal, 'listMoney').mockResolvedValue(refused);
    const { findings } = await reconcile();
    listed.mockRestore();
    const why = `the processor's list: refused (not_authorized): ${message}`;
    expect(findings.map(({ detail }) => detail)).toContain(why);
    const kept = async (detail: string) => {
      const sql = 'select from reconciliation_findings where detail = $1';
      return (await billing.database.query(sql, [detail])).length;
    };
    expect(await kept(why)).toBeGreaterThan(0);
    await billing.database.query(
      `update reconciliation_runs set started_at = started_at - interval '401 days'`,
    );
    await reconcile();
    expect(await kept(why)).toBe(0);
    billing.logLines.splice(0);
  });

  it('I14: a subscription that ended without a callback is found and repaired', async () => {
    const accountId = await bought();
    await relay(accountId);
    await billing.pass(HOUR_MS);
    billing.simulator.callbacks.faults.drop = true;
    billing.simulator.subscriptions.cancel(billing.simulator.world.all('subscription')[0].id);
    billing.simulator.callbacks.faults.drop = false;
    expect((await reconcile()).findings).toMatchObject([
      { kind: 'processor', accountId, detail: 'state was out of date', isHealed: true },
    ]);
    expect((await reconcile()).findings).toEqual([]);
  });

  it.each(BOTH)(
    'I14: money that is recorded only by %s is found, and waits for an operator',
    async (name) => {
      const side = sideOf(billing, name);
      const accountId = await entitlement.newAccount();
      side.callbacks.faults.drop = true;
      const order = await billing.order(accountId, 15_000, name);
      await pressButton(order.redirect_url as string, 'pay');
      if (name === 'paypal') {
        await billing.call('POST', `orders/${order.id}/return`, { accountId });
      }
      const [heard] = await side.paymentsOf(accountId);
      const foreign = foreignPayment(name);
      side.refund(heard, 1);
      await billing.pass(HOUR_MS);
      const { findings } = await reconcile();
      side.callbacks.faults.drop = false;
      const about = (id: string) => findings.filter(({ subject }) => subject.endsWith(id));
      if (name === 'stripe') expect(about(heard)).toMatchObject([{ isHealed: true }]);
      expect(about(side.refunds()[0].id)).toMatchObject([{ isHealed: true }]);
      expect(about(foreign)).toMatchObject([{ accountId: null, isHealed: false }]);
      expect(await violated()).toContain('I14');
      const { body } = await billing.call('GET', 'operator/set-aside', { caller: 'cli' });
      expect(body).toContainEqual(
        expect.objectContaining({ kind: 'unclaimed', id: `${name} payment ${foreign}` }),
      );
      const { world, paypal } = billing.simulator;
      if (name === 'stripe') world.get('payment_intent', foreign).status = 'canceled';
      else paypal.world.get('capture', foreign).status = 'DECLINED';
      billing.logLines.splice(0);
    },
  );

  it('I14: if the payment for a plan change arrives after the period has ended, it is found and refunded', async () => {
    const side = sideOf(billing, 'paypal');
    const accountId = await entitlement.newAccount();
    const body = { product: 'subscription', sku: 'api-15K-month', processor: 'paypal' };
    await billing.act((await billing.call('POST', 'orders', { accountId, body })).body, 'pay');
    const { body: listed } = await billing.call('GET', 'subscriptions', { accountId });
    const [{ id, period_end: end }] = listed.subscriptions;
    await billing.pass(Date.parse(end) - billing.clock.now().getTime() - 24 * HOUR_MS);
    const wish = { accountId, body: { sku: 'api-50K-month' } };
    const { body: asked } = await billing.call('POST', `subscriptions/${id}/change`, wish);
    await agreeAtPaypal(asked.redirect_url, 'delayed');
    await billing.settle();
    side.callbacks.faults.drop = true;
    await billing.pass(5 * 24 * HOUR_MS);
    const capture = billing.simulator.paypal.world
      .all('capture')
      .findLast(({ custom_id: reference }) => reference?.startsWith('change,'))!;
    const { findings } = await reconcile();
    const open = findings.filter(
      ({ subject, isHealed }) => !isHealed && subject.includes(capture.id),
    );
    expect(open).toEqual([]);
    await billing.follow();
    side.callbacks.faults.drop = false;
    const { paid, refunded } = await side.moneyOf(accountId);
    expect([paid - refunded, refunded > 0]).toEqual([27_00 + 75_00, true]);
    billing.logLines.splice(0);
  });

  function foreignPayment(name: ChosenProcessor): string {
    const { payments, paypal } = billing.simulator;
    if (name === 'stripe') {
      const sold = { amount: 1_300, currency: 'usd', customer: null, metadata: {} };
      return payments.create(sold, 'succeeded').id;
    }
    const id = paypal.world.newId();
    const now = paypal.world.now;
    paypal.world.put('capture', id, {
      id,
      status: 'COMPLETED',
      amount: { currency_code: 'USD', value: '13.00' },
      final_capture: true,
      create_time: now,
      update_time: now,
      supplementary_data: { related_ids: {} },
      links: [],
    });
    return id;
  }

  it('while entitlement is down, no partial comparison is made', async () => {
    const before = await billing.database.query('select from reconciliation_runs');
    await entitlement.service.stop();
    const answer = await billing.call('POST', 'operator/reconciliations', { caller: 'cli' });
    expect(answer.status).toBe(503);
    expect(await billing.database.query('select from reconciliation_runs')).toHaveLength(
      before.length,
    );
  });
});
