import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type ChosenProcessor,
  FORMER_UNIT_MICROS,
  type InvoiceAnswer,
  type OrderAnswer,
  planOfSku,
} from '#libs/contracts';
import { DAY_MS, addMonths } from '#libs/platform';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { agreeAtPaypal } from '../../../../test/billing/hosted-page.js';
import { MailNoticesJob } from '../subscription-notices/mail-notices.job.js';
import type { ProcessorName } from '../processors/payment-processor.js';
import { moneyText } from '../pricing/money-text.js';
import { taxWithin } from '../tax/tax-rates.js';
import { RenewalTaxService } from './renewal-tax.service.js';

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
    expect(await billing.violations()).toEqual([]);
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
  const passTo = (time: number) => billing.pass(time - billing.clock.now().getTime());
  async function renew(months: number): Promise<void> {
    const end = addMonths(start, months).getTime();
    for (const daysBefore of [11, 1]) {
      await passTo(end - daysBefore * DAY_MS);
      await billing.follow();
    }
    await billing.pass(2 * DAY_MS);
  }

  it('the e-mail two weeks before a yearly renewal names the price that is charged', async () => {
    await subscribe('stripe', 'api-15K-year');
    live('DE');
    await passTo(addMonths(start, 12).getTime() - 13 * DAY_MS);
    await billing.get(MailNoticesJob).runOnce();
    const mails = await billing.deliverMail(accountId);
    const renewal = mails.find(({ subject }) => subject.includes('renews on'));
    await renew(12);
    const [, [, , total]] = await invoices();
    expect(renewal?.text).toContain(`${moneyText(BigInt(total))} USD`);
    expect(total).toBe('320010000');
  });

  it.each(['stripe', 'paypal'] as const)(
    'at %s the new country’s rate applies from the invoice of the next period',
    async (processor) => {
      await subscribe(processor);
      live('DE');
      await billing.follow();
      expect(await own()).toMatchObject({ amount_micros: '29190000', tax_micros: '2190000' });
      await renew(1);
      expect(await own()).toMatchObject({
        amount_micros: '32130000',
        tax_micros: '5130000',
        pending_change: null,
      });
      live('US');
      await renew(2);
      expect(await invoices()).toEqual([SWISS, GERMAN, ['27000000', '0', '27000000']]);
      expect(await own()).toMatchObject({ amount_micros: '27000000', tax_micros: '0' });
    },
  );

  it.each(['stripe', 'paypal'] as const)(
    'at %s, the e-mail about a renewal states the price with the tax rate that was decided for it',
    async (processor) => {
      await subscribe(processor);
      live('DE');
      const end = addMonths(start, 1).getTime();
      for (const daysBefore of [11, 3.5, 2.5]) {
        await passTo(end - daysBefore * DAY_MS);
        await billing.follow();
      }
      await billing.get(MailNoticesJob).runOnce();
      const mails = await billing.deliverMail(accountId);
      const renewal = mails.find(({ subject }) => subject.includes('renews on'));
      expect(renewal?.text).toContain('for 32.13 USD');
    },
  );

  it('at PayPal, a move to another country in the last 14 days before a renewal changes the tax one renewal later, and is not shown as a pending change', async () => {
    const id = await subscribe('paypal');
    await renew(1);
    const end = addMonths(start, 2).getTime();
    await passTo(end - 9 * DAY_MS);
    live('DE');
    await billing.follow();
    await passTo(end + DAY_MS);
    expect(await invoices()).toEqual([SWISS, SWISS, SWISS]);
    await passTo(addMonths(start, 3).getTime() - 11 * DAY_MS);
    await billing.follow();
    expect(await own()).toMatchObject({ tax_micros: '2190000', pending_change: null });
    // The amount due now still contains this period's rate.
    const preview = await step(id, 'preview', { sku: 'api-50K-month' });
    expect(BigInt(preview.body.tax_micros)).toBe(
      taxWithin(BigInt(preview.body.due_micros), 81_000),
    );
    await billing.pass(12 * DAY_MS);
    expect(await invoices()).toEqual([SWISS, SWISS, SWISS, GERMAN]);
  });

  it('at PayPal, a changed rate applies together with an accepted downgrade', async () => {
    const id = await subscribe('paypal');
    const { body } = await step(id, 'change', { sku: 'api-5K-month' });
    await agreeAtPaypal(body.redirect_url);
    await billing.settle();
    live('DE');
    await renew(1);
    expect((await invoices()).at(-1)).toEqual(['10000000', '1900000', '11900000']);
    expect(await own()).toMatchObject({ sku: 'api-5K-month', pending_change: null });
    await renew(2);
    expect((await invoices()).at(-1)).toEqual(['10000000', '1900000', '11900000']);
  });

  it.each([
    ['an upgrade', 'api-50K-month', ['75000000', '14250000', '89250000']],
    ['a downgrade', 'api-5K-month', ['10000000', '1900000', '11900000']],
  ])(
    'at PayPal, after %s following the decision, the plan renews at the decided rate if there is time, otherwise at the old rate; the e-mail names the price',
    async (_, sku, renewed) => {
      const id = await subscribe('paypal');
      const change = async (daysBefore: number, wanted: string) => {
        await passTo(end - daysBefore * DAY_MS);
        const { body } = await step(id, 'change', { sku: wanted });
        await agreeAtPaypal(body.redirect_url);
        await billing.settle();
        await billing.follow();
      };
      let end = addMonths(start, 1).getTime();
      live('DE');
      await passTo(end - 13 * DAY_MS);
      await billing.follow();
      await change(12, sku);
      await passTo(end + DAY_MS);
      expect((await invoices()).at(-1)).toEqual(renewed);
      live('CH');
      end = addMonths(start, 2).getTime();
      await passTo(end - 13 * DAY_MS);
      await billing.follow();
      await change(9, 'api-150K-month');
      await passTo(end - 2 * DAY_MS);
      await billing.get(MailNoticesJob).runOnce();
      const mails = await billing.deliverMail(accountId);
      await passTo(end + DAY_MS);
      const last = (await invoices()).at(-1)!;
      expect(last).toEqual(['195000000', '37050000', '232050000']);
      const text = mails.findLast(({ subject }) => subject.includes('renews on'))?.text;
      expect(text).toContain(`${moneyText(BigInt(last[2]))} USD`);
    },
  );

  it('the change of the rate is requested once per period, and again if the processor gives no answer', async () => {
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

  it('the new rate applies together with a plan change that waits for the end of the period, and stays if that change is withdrawn', async () => {
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

  it.each(['sku', 'pending_sku'])(
    'the rate stays the same, and is decided once, if the plan in %s is unknown',
    async (column) => {
      const id = await subscribe('stripe');
      if (column === 'pending_sku') await step(id, 'change', { sku: 'api-5K-month' });
      live('DE');
      await passTo(addMonths(start, 1).getTime() - DAY_MS);
      const ask = (sql: string) => billing.database.query(sql, [id]);
      const [there] = billing.simulator.world.all('subscription');
      // A state that billing does not understand, so that no fetch restores the plan that Stripe has.
      Object.assign(there, { status: 'unheard_of' });
      await ask(`update subscriptions set ${column} = 'api-1K-once-sold' where id = $1`);
      await billing.follow();
      const [decided] = await ask(
        `select next_tax_ppm from subscriptions where id = $1 and tax_decided_at = period_end`,
      );
      expect(decided).toEqual({ next_tax_ppm: null });
      Object.assign(there, { status: 'active' });
      await ask(`update subscriptions set sku = 'api-15K-month', pending_sku = null where id = $1`);
    },
  );

  it('the notice of a renewal names the present rate if the processor is no longer configured', async () => {
    live('DE');
    const [now, processor] = [billing.clock.now(), 'gone' as ProcessorName];
    const renewal = { accountId, taxPpm: 81_000, processor, periodEnd: addMonths(now, 1) };
    expect(await billing.get(RenewalTaxService).expected(renewal, now)).toBe(81_000);
  });

  it.each([
    ['a plan keeps its former price', undefined, ['75000000', '14250000', '89250000']],
    [
      'the rate stays the same if a change waits, whose price may be a former one, too',
      'api-5K-month',
      ['10000000', '810000', '10810000'],
    ],
  ])('after the price of a plan has risen, %s', async (_, wanted, renewed) => {
    const plan = planOfSku('api-50K-month')!;
    const { sku, unitMicros } = plan;
    start = billing.clock.now();
    const body = { product: 'subscription', sku, processor: 'stripe' };
    const { body: order } = await billing.call('POST', 'orders', { accountId, body });
    const bought = billing.simulator.world
      .all('price')
      .find(({ metadata }) => metadata.sku === sku)!;
    bought.metadata.catalogueVersion = 'former';
    await billing.act(order as OrderAnswer, 'pay');
    FORMER_UNIT_MICROS.former = { [sku]: unitMicros };
    plan.unitMicros += 5_000_000;
    if (wanted !== undefined) await step((await own()).id, 'change', { sku: wanted });
    live('DE');
    await renew(1);
    expect((await invoices()).at(-1)).toEqual(renewed);
    plan.unitMicros = unitMicros;
    delete FORMER_UNIT_MICROS.former;
  });

  it('the rate stays the same if the buyer’s country is no longer known', async () => {
    await subscribe('stripe');
    billing.contacts.set(accountId, { details: null });
    await renew(1);
    expect(await invoices()).toEqual([SWISS, SWISS]);
  });
});
