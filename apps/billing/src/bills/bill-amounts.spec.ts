import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { PaymentConfirmed, SubscriptionChanged } from '#libs/contracts';
import { MINUTE_MS, addMonths, newId } from '#libs/platform';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';

/** A time so close to the end of the period that an upgrade costs less than the smallest possible card charge. */
const SHORTLY_MS = 5 * 60 * MINUTE_MS;

describe('bills whose amount differs from the price of their lines', () => {
  let billing: BillingUnderTest;
  let accountId: string;
  let id: string;
  let start: Date;

  beforeAll(async () => {
    billing = await BillingUnderTest.start();
  });
  afterAll(() => billing.stop());

  beforeEach(async () => {
    start = billing.clock.now();
    accountId = billing.newAccount();
    const body = { product: 'subscription', sku: 'api-5K-month', processor: 'stripe' };
    const { body: order } = await billing.call('POST', 'orders', { accountId, body });
    await billing.act(order, 'pay');
    const { body: listed } = await billing.call('GET', 'subscriptions', { accountId });
    id = listed.subscriptions[0].id;
  });
  afterEach(async () => {
    expect(await billing.violations()).toEqual([]);
    expect(billing.logLines.splice(0)).toEqual([]);
  });

  const passTo = (time: Date) => billing.pass(time.getTime() - billing.clock.now().getTime());
  const invoices = () => billing.simulator.world.all('invoice');

  async function said<T>(type: string): Promise<T[]> {
    const events = await billing.events(accountId);
    return events.filter((event) => event.type === type).map(({ data }) => data as unknown as T);
  }

  async function upgradeShortlyBeforeTheEnd(): Promise<void> {
    const end = addMonths(start, 1);
    await passTo(new Date(end.getTime() - SHORTLY_MS));
    const change = { accountId, body: { sku: 'api-15K-month' } };
    expect((await billing.call('POST', `subscriptions/${id}/change`, change)).status).toBe(200);
    await billing.settle();
  }

  async function documents() {
    return billing.database.query(
      `select p.amount_micros, p.carried_micros, i.total_micros,
         i.carried_micros as carried_on_invoice
       from payments p join invoices i on i.payment_id = p.id
       where p.account_id = $1 order by p.id`,
      [accountId],
    );
  }

  it('an upgrade below the smallest charge is carried over to the renewal, whose payment covers the upgrade’s period and credits', async () => {
    await upgradeShortlyBeforeTheEnd();
    const [{ total: cents, ...small }] = invoices();
    expect(small).toMatchObject({ status: 'paid', amount_paid: 0, ending_balance: cents });
    const micros = String(cents * 10_000);
    await passTo(addMonths(start, 1));
    expect(invoices()[0]).toMatchObject({ status: 'paid', amount_paid: 2700 + cents, total: 2700 });
    const sum = String(27_000_000 + Number(micros));
    const payments = await said<PaymentConfirmed>('billing.payment-confirmed');
    expect(
      payments.map(({ amountMicros, lines }) => [amountMicros, lines[0].amountMicros]),
    ).toEqual([
      ['10000000', '10000000'],
      ['0', micros],
      [sum, '27000000'],
    ]);
    expect(payments[2].lines).toMatchObject([{ kind: 'subscription', monthlyCredits: '15000' }]);
    const [last] = (await said<SubscriptionChanged>('billing.subscription-changed')).slice(-1);
    expect(last).toMatchObject({
      state: 'active',
      sku: 'api-15K-month',
      paidThrough: addMonths(start, 2).toISOString(),
    });
    const carried = (amount: string, carriedOver: string, total: string) => {
      return {
        amount_micros: amount,
        carried_micros: carriedOver,
        total_micros: total,
        carried_on_invoice: carriedOver,
      };
    };
    expect(await documents()).toEqual([
      carried('10000000', '0', '10000000'),
      carried('0', `-${micros}`, micros),
      carried(sum, micros, '27000000'),
    ]);
  });

  /** Makes the renewal cost 6.50 instead of 10.00. */
  async function renewCheaper(): Promise<void> {
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
    const [{ id: externalId, customer }] = world.all('subscription');
    subscriptions.update(externalId, { discounts: [{ coupon: coupon.id }] });
    world.get('customer', customer).balance = -100;
    await passTo(addMonths(start, 1));
    expect(invoices()[0]).toMatchObject({ subtotal: 1000, total: 750, amount_paid: 650 });
  }

  it('if a coupon or a balance made a period cheaper, a refund of the rest of the period is calculated from the amount paid', async () => {
    await renewCheaper();
    const [from, to] = [addMonths(start, 1).getTime(), addMonths(start, 2).getTime()];
    await passTo(new Date((from + to) / 2));
    const { body } = await billing.call('GET', 'operator/payments', { accountId, caller: 'cli' });
    const { paymentId } = body.payments[0];
    const wish = { refundId: newId(), paymentId, scope: 'remaining', reason: 'asked' };
    const call = { accountId, caller: 'cli', body: wish } as const;
    const { body: refund } = await billing.call('POST', 'operator/refunds', call);
    expect(refund).toMatchObject({ amountMicros: '3250000' });
    await billing.settle();
  });

  it('a coupon or a balance set by the operator changes what is paid, not what is granted', async () => {
    await renewCheaper();
    const [, renewal] = await said<PaymentConfirmed>('billing.payment-confirmed');
    expect(renewal).toMatchObject({ amountMicros: '6500000', lines: [{ monthlyCredits: '5000' }] });
    const payment = billing.simulator.world.all('payment_intent')[0].id;
    billing.simulator.payments.refund({ payment_intent: payment });
    await billing.settle();
    const reversals = await said<{ lines: object[] }>('billing.payment-reversed');
    expect(reversals.at(-1)?.lines).toMatchObject([
      { refundedMicros: '6500000', paidMicros: '6500000' },
    ]);
    const { body } = await billing.call('GET', 'invoices?state=returned', { accountId });
    expect(body.invoices).toMatchObject([{ total_micros: '10000000', state: 'returned' }]);
  });

  it('if a paid bill cannot be read, the customer gets the rights that the bill would have granted, and an operator is alerted', async () => {
    const { world } = billing.simulator;
    world.all('price').find(({ metadata }) => metadata.sku === 'api-5K-month')!.unit_amount = 900;
    await passTo(addMonths(start, 1));
    const states = await said<SubscriptionChanged>('billing.subscription-changed');
    const paidThrough = addMonths(start, 2).toISOString();
    expect(states.at(-1)).toMatchObject({ state: 'active', paidThrough });
    const { body } = await billing.call('GET', 'operator/set-aside', { caller: 'cli' });
    expect(body).toContainEqual(expect.objectContaining({ kind: 'subscriptions', id }));
    expect(await said('billing.payment-confirmed')).toHaveLength(1);
  });
});
