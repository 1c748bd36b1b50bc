import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ChosenProcessor, InvoiceAnswer, OrderAnswer } from '#libs/contracts';
import { AuditJob } from '#libs/database';
import { DAY_MS, addMonths } from '#libs/platform';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';

const ADDRESS = { address_line1: '1 Quay', city: 'A town' };
const SWISS = ['27000000', '2190000', '29190000'];
const GERMAN = ['27000000', '5130000', '32130000'];

describe('the tax of a running subscription', () => {
  let billing: BillingUnderTest;
  let accountId: string;
  let start: Date;

  beforeAll(async () => {
    billing = await BillingUnderTest.start({ taxRates: ['DE=19', 'CH=8.1'] });
  });
  afterAll(() => billing.stop());
  beforeEach(async () => {
    accountId = billing.newAccount();
    live('CH');
  });
  afterEach(async () => {
    expect(billing.logLines.splice(0)).toEqual([]);
    const audit = billing.get(AuditJob);
    await audit.runOnce();
    expect([...audit.violations]).toEqual([]);
  });

  const live = (country: string) =>
    billing.contacts.set(accountId, { details: { ...ADDRESS, country } });

  async function subscribe(processor: ChosenProcessor, sku = 'api-15K-month'): Promise<string> {
    const body = { product: 'subscription', sku, processor };
    start = billing.clock.now();
    const { body: order } = await billing.call('POST', 'orders', { accountId, body });
    await billing.act(order as OrderAnswer, 'pay');
    return (await own()).id;
  }
  async function own() {
    const { body } = await billing.call('GET', 'subscriptions', { accountId });
    return body.subscriptions[0];
  }
  const step = (id: string, name: string, body: object = {}) =>
    billing.call('POST', `subscriptions/${id}/${name}`, { accountId, body });
  async function invoices(): Promise<string[][]> {
    const { body } = await billing.call('GET', 'invoices', { accountId });
    const amounts = (body.invoices as InvoiceAnswer[]).map((one) => [
      one.net_micros,
      one.tax_micros,
      one.total_micros,
    ]);
    return amounts.toReversed();
  }
  /** Up to a day before the next renewal, then over it. */
  async function renew(months: number): Promise<void> {
    const end = addMonths(start, months).getTime();
    await billing.pass(end - DAY_MS - billing.clock.now().getTime());
    await billing.follow();
    await billing.pass(2 * DAY_MS);
  }

  it('is the rate of the new country from the invoice of the next period on', async () => {
    await subscribe('stripe');
    live('DE');
    await billing.follow();
    expect(await own()).toMatchObject({ amount_micros: '29190000', tax_micros: '2190000' });
    await renew(1);
    expect(await own()).toMatchObject({ amount_micros: '32130000', tax_micros: '5130000' });
    live('US');
    await renew(2);
    expect(await invoices()).toEqual([SWISS, GERMAN, ['27000000', '0', '27000000']]);
    expect(await own()).toMatchObject({ amount_micros: '27000000', tax_micros: '0' });
  });

  it('is asked for once a period, and a processor that gives no answer is asked again', async () => {
    await subscribe('stripe');
    live('DE');
    const end = addMonths(start, 1).getTime();
    await billing.pass(end - DAY_MS - billing.clock.now().getTime());
    billing.simulator.apiFaults.lostRequests = 1;
    await billing.follow();
    expect(billing.logLines.splice(0)).toEqual([]);
    await billing.follow();
    const changes = () =>
      billing.simulator.stripe.requests.filter(
        ({ method, idempotencyKey }) =>
          method === 'POST' && idempotencyKey?.startsWith('plan:tax:'),
      ).length;
    const before = changes();
    await billing.follow();
    expect(changes()).toBe(before);
    await billing.pass(2 * DAY_MS);
    expect(await invoices()).toEqual([SWISS, GERMAN]);
  });

  it('goes with a change that waits for the end of the period, and stays when that is taken back', async () => {
    const id = await subscribe('stripe');
    await step(id, 'change', { sku: 'api-5K-month' });
    live('DE');
    await billing.pass(addMonths(start, 1).getTime() - DAY_MS - billing.clock.now().getTime());
    await billing.follow();
    expect(await own()).toMatchObject({ pending_change: { sku: 'api-5K-month' } });
    await step(id, 'undo');
    await billing.follow();
    await billing.pass(2 * DAY_MS);
    expect(await invoices()).toEqual([SWISS, GERMAN]);
    await step(id, 'change', { sku: 'api-5K-month' });
    live('CH');
    await renew(2);
    expect((await invoices()).at(-1)).toEqual(['10000000', '810000', '10810000']);
    expect(await own()).toMatchObject({ sku: 'api-5K-month', pending_change: null });
  });

  it('stays where the customer would have to approve another price', async () => {
    await subscribe('paypal');
    live('DE');
    await renew(1);
    expect(await invoices()).toEqual([SWISS, SWISS]);
  });

  it('stays where nobody knows any more where the buyer is', async () => {
    await subscribe('stripe');
    billing.contacts.set(accountId, { details: null });
    await renew(1);
    expect(await invoices()).toEqual([SWISS, SWISS]);
  });
});
