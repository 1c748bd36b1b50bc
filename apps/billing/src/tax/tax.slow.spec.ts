import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { InvoiceAnswer, OrderAnswer, PaymentConfirmed } from '#libs/contracts';
import { ConfigurationError, DAY_MS, addMonths, loadConfig, newId } from '#libs/platform';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { agreeAtPaypal, pressButton } from '../../../../test/billing/hosted-page.js';
import { readPdf } from '../../../../test/billing/pdf-text.js';
import { BillingConfig } from '../billing.config.js';
import { TaxRates, taxOn, taxWithin } from './tax-rates.js';

const ADDRESS = { address_line1: '1 Quay', city: 'A town' };

describe('tax', () => {
  let billing: BillingUnderTest;
  let accountId: string;

  beforeAll(async () => {
    billing = await BillingUnderTest.start({ taxRates: ['DE=19', 'FR=20/0', 'CH=8.1'] });
  });
  afterAll(() => billing.stop());
  beforeEach(() => {
    accountId = billing.newAccount();
  });
  afterEach(async () => {
    expect(billing.logLines.splice(0)).toEqual([]);
    expect(await billing.violations()).toEqual([]);
  });

  const live = (country: string, extra: object = {}) =>
    billing.contacts.set(accountId, { details: { ...ADDRESS, country, ...extra } });
  const order = (wish: object) => billing.call('POST', 'orders', { accountId, body: wish });
  const invoices = async (): Promise<InvoiceAnswer[]> =>
    (await billing.call('GET', 'invoices', { accountId })).body.invoices;
  const amounts = async () =>
    (await invoices()).map((one) => [one.kind, one.net_micros, one.tax_micros, one.total_micros]);
  const payments = async () =>
    (await billing.events(accountId))
      .filter(({ type }) => type === 'billing.payment-confirmed')
      .map(({ data }) => data as unknown as PaymentConfirmed);

  it('the tax according to the current billing details is shown before an order', async () => {
    const told = async () => (await billing.call('GET', 'tax', { accountId })).body;
    expect(await told()).toEqual({ tax_ppm: null, is_reverse_charge: false });
    live('CH');
    expect(await told()).toEqual({ tax_ppm: 81_000, is_reverse_charge: false });
    live('FR', { tax_id: 'FR12345678901' });
    expect(await told()).toEqual({ tax_ppm: 0, is_reverse_charge: true });
    live('US');
    expect(await told()).toEqual({ tax_ppm: 0, is_reverse_charge: false });
  });

  it.each(['stripe', 'paypal'] as const)(
    'tax is added to a package and taken at %s',
    async (name) => {
      live('DE');
      const { body: bought } = await order({
        product: 'package',
        credits: 15_000,
        processor: name,
      });
      expect(bought).toMatchObject({ amount_micros: '64260000', tax_micros: '10260000' });
      expect(bought.lines).toEqual([
        expect.objectContaining({ amount_micros: '54000000', tax_micros: '10260000' }),
      ]);
      await billing.act(bought as OrderAnswer, 'pay');
      expect(await billing.stateOf(accountId, bought)).toBe('paid');
      expect(await payments()).toEqual([
        expect.objectContaining({
          amountMicros: '64260000',
          lines: [expect.objectContaining({ amountMicros: '54000000', credits: '15000' })],
        }),
      ]);
      expect(await amounts()).toEqual([['invoice', '54000000', '10260000', '64260000']]);
    },
  );

  it('tax is a separate line on Stripe’s page', async () => {
    live('CH');
    await order({ product: 'package', credits: 15_000, processor: 'stripe' });
    const { body } = billing.simulator.stripe.requests.findLast(
      ({ path }) => path === '/v1/checkout/sessions',
    )!;
    const items = [...new URLSearchParams(body)].filter(([name]) => name.startsWith('line_items'));
    expect(Object.fromEntries(items)).toMatchObject({
      'line_items[0][price_data][unit_amount]': '5400',
      'line_items[1][price_data][unit_amount]': '437',
      'line_items[1][price_data][product_data][name]': 'Tax 8.1 %',
    });
  });

  it('tax is refunded in proportion, and completely with a full refund', async () => {
    live('CH');
    const { body } = await order({ product: 'package', credits: 15_000, processor: 'stripe' });
    await billing.act(body as OrderAnswer, 'pay');
    const [{ paymentId }] = await payments();
    for (const amountMicros of ['20010000', '20010000', undefined]) {
      const wish = { refundId: newId(), paymentId, scope: 'whole', reason: 'asked' };
      const answer = await billing.call('POST', 'operator/refunds', {
        accountId,
        caller: 'cli',
        body: { ...wish, ...(amountMicros && { amountMicros }) },
      });
      expect(answer.status).toBe(200);
      await billing.settle();
    }
    expect((await amounts()).toReversed()).toEqual([
      ['invoice', '54000000', '4370000', '58370000'],
      ['credit_note', '18510000', '1500000', '20010000'],
      ['credit_note', '18510000', '1500000', '20010000'],
      ['credit_note', '16980000', '1370000', '18350000'],
    ]);
  });

  it.each(['stripe', 'paypal'] as const)(
    'tax is included in the price of a plan at %s: first bill, renewal, upgrade and refund',
    async (processor) => {
      live('CH');
      const start = billing.clock.now();
      const wish = { product: 'subscription', sku: 'api-15K-month', processor };
      const { body: bought } = await order(wish);
      expect(bought).toMatchObject({ amount_micros: '29190000', tax_micros: '2190000' });
      await billing.act(bought as OrderAnswer, 'pay');
      await billing.pass(addMonths(start, 1).getTime() - billing.clock.now().getTime());
      await billing.pass(DAY_MS);
      const full = ['invoice', '27000000', '2190000', '29190000'];
      expect(await amounts()).toEqual([full, full]);
      const { body: listed } = await billing.call('GET', 'subscriptions', { accountId });
      const path = `subscriptions/${listed.subscriptions[0].id}`;
      const body = { sku: 'api-50K-month' };
      const preview = await billing.call('POST', `${path}/preview`, { accountId, body });
      const { body: changed } = await billing.call('POST', `${path}/change`, { accountId, body });
      if (changed.redirect_url && processor === 'paypal') await agreeAtPaypal(changed.redirect_url);
      await billing.settle();
      const [upgrade] = await payments().then((all) => all.toReversed());
      expect(upgrade.amountMicros).toBe(preview.body.due_micros);
      expect(upgrade.lines[0].kind).toBe('subscription_upgrade');
      const [[kind, net, tax, total]] = await amounts();
      expect([kind, total]).toEqual(['invoice', upgrade.amountMicros]);
      expect(BigInt(tax)).toBe(taxWithin(BigInt(total), 81_000));
      expect(net).toBe(upgrade.lines[0].amountMicros);
    },
  );

  it('a business under reverse charge pays no tax, and its invoice says so', async () => {
    live('FR', { organisation: 'Exemple SA', tax_id: 'FR12345678901' });
    const { body } = await order({ product: 'package', credits: 15_000, processor: 'stripe' });
    expect(body).toMatchObject({ amount_micros: '54000000', tax_micros: '0' });
    await billing.act(body as OrderAnswer, 'pay');
    await billing.deliverMail(accountId);
    const [{ id }] = await invoices();
    const { pages } = await readPdf((await billing.bytes(`invoices/${id}/pdf`, accountId)).body);
    expect(pages[0]).toContain('Reverse charge');
    expect(pages[0]).toContain('FR12345678901');
  });

  it('a tax id removed after the order stays on the order’s invoices until another tax id replaces it', async () => {
    const business = { organisation: 'Exemple SA', tax_id: 'FR12345678901' };
    live('FR', business);
    const { body } = await order({ product: 'package', credits: 15_000, processor: 'paypal' });
    live('FR');
    await billing.act(body as OrderAnswer, 'pay');
    await billing.deliverMail(accountId);
    const [{ id }] = await invoices();
    const page = async () =>
      (await readPdf((await billing.bytes(`invoices/${id}/pdf`, accountId)).body)).pages[0];
    const regenerate = () => billing.call('POST', `invoices/${id}/regenerate`, { accountId });
    expect(await page()).toMatch(/FR12345678901[\s\S]*Reverse charge/);
    live('FR', { address_line1: '2 Quay' });
    expect((await regenerate()).body).toMatchObject({ revision: 2 });
    expect(await page()).toMatch(/2 Quay[\s\S]*FR12345678901/);
    live('FR', { ...business, tax_id: 'FR98765432109' });
    await regenerate();
    expect(await page()).toContain('FR98765432109');
    const rows = await billing.database.query<{ kept: Buffer }>(
      'select tax_id as kept from judged_tax_ids where account_id = $1',
      [accountId],
    );
    expect(rows.map(({ kept }) => kept.includes('FR12345678901'))).toEqual([false, false]);
  });

  it('renewals and credit notes name the tax id that determined their tax', async () => {
    live('FR', { organisation: 'Exemple SA', tax_id: 'FR12345678901' });
    const wish = { product: 'subscription', sku: 'api-15K-month', processor: 'stripe' };
    const start = billing.clock.now();
    await billing.act((await order(wish)).body as OrderAnswer, 'pay');
    live('FR', { organisation: 'Exemple SA', tax_id: 'FR98765432109' });
    await billing.pass(addMonths(start, 1).getTime() - DAY_MS - billing.clock.now().getTime());
    await billing.follow();
    live('FR');
    await billing.pass(2 * DAY_MS);
    await billing.deliverMail(accountId);
    const [{ paymentId }] = (await payments()).toReversed();
    const refund = { refundId: newId(), paymentId, scope: 'whole', reason: 'asked' };
    await billing.call('POST', 'operator/refunds', { accountId, caller: 'cli', body: refund });
    await billing.settle();
    await billing.deliverMail(accountId);
    const named: string[] = [];
    for (const { id } of await invoices()) {
      const { pages } = await readPdf((await billing.bytes(`invoices/${id}/pdf`, accountId)).body);
      named.push(/FR\d{11}/.exec(pages[0])?.[0] ?? 'none');
    }
    expect(named).toEqual(['FR98765432109', 'FR98765432109', 'FR12345678901']);
  });

  it('the invoice of an upgrade follows the decision for its own period, even if the next period is already decided', async () => {
    live('FR', { organisation: 'Exemple SA', tax_id: 'FR12345678901' });
    const wish = { product: 'subscription', sku: 'api-15K-month', processor: 'paypal' };
    const end = addMonths(billing.clock.now(), 1);
    await billing.act((await order(wish)).body as OrderAnswer, 'pay');
    live('FR');
    await billing.pass(end.getTime() - 12 * DAY_MS - billing.clock.now().getTime());
    await billing.follow();
    const { body: listed } = await billing.call('GET', 'subscriptions', { accountId });
    const path = `subscriptions/${listed.subscriptions[0].id}/change`;
    const body = { sku: 'api-50K-month' };
    await agreeAtPaypal((await billing.call('POST', path, { accountId, body })).body.redirect_url);
    await billing.settle();
    await billing.deliverMail(accountId);
    const [{ id, tax_micros: tax }] = await invoices();
    expect(tax).toBe('0');
    const { pages } = await readPdf((await billing.bytes(`invoices/${id}/pdf`, accountId)).body);
    expect(pages[0]).toMatch(/Upgrade[\s\S]*Reverse charge/);
    expect(pages[0]).toContain('FR12345678901');
  });

  it('business details given after the sale do not turn an invoice into reverse charge', async () => {
    live('US');
    const { body } = await order({ product: 'package', credits: 15_000, processor: 'stripe' });
    // This holds even if the business details are given before the invoice is printed.
    live('FR', { organisation: 'Exemple SA', tax_id: 'FR12345678901' });
    await billing.act(body as OrderAnswer, 'pay');
    await billing.deliverMail(accountId);
    const [{ id }] = await invoices();
    const { pages } = await readPdf((await billing.bytes(`invoices/${id}/pdf`, accountId)).body);
    expect(pages[0]).toContain('FR12345678901');
    expect(pages[0]).not.toContain('Reverse charge');
  });

  it('a country outside the table has no tax', async () => {
    live('US');
    const { body } = await order({ product: 'package', credits: 15_000, processor: 'stripe' });
    expect(body).toMatchObject({ amount_micros: '54000000', tax_micros: '0' });
  });

  it('an order is rejected if the buyer’s country is unknown', async () => {
    const answer = await order({ product: 'package', credits: 15_000, processor: 'stripe' });
    expect(answer).toMatchObject({ status: 409, body: { code: 'billing_details_missing' } });
    expect((await billing.call('GET', 'orders', { accountId })).body.orders).toEqual([]);
  });

  it('a buyer who moves still pays the price of the order', async () => {
    live('DE');
    const { body } = await order({ product: 'package', credits: 15_000, processor: 'stripe' });
    live('US');
    await pressButton(body.redirect_url, 'pay');
    await billing.settle();
    expect(await amounts()).toEqual([['invoice', '54000000', '10260000', '64260000']]);
  });
});

describe('tax rates', () => {
  const rates = new TaxRates(['DE=19', 'FR=20/0', 'CH=8.1', 'XX=99.9999/0.5']);

  it.each([
    ['DE', undefined, 190_000, false],
    ['DE', 'DE123456789', 190_000, false],
    ['FR', undefined, 200_000, false],
    ['FR', 'FR12345678901', 0, true],
    ['CH', undefined, 81_000, false],
    ['XX', undefined, 999_999, false],
    ['XX', '1234', 5_000, false],
    ['US', '123456789', 0, false],
  ])(
    'for %s with tax id %s, the rate is %i millionths; reverse charge: %s',
    (country, tax_id, ppm, isReverse) => {
      const tax = rates.taxOf({ country, tax_id }, new Date('2026-12-31T23:59:59.999Z'));
      expect(tax).toMatchObject({ ppm, isReverseCharge: isReverse });
    },
  );

  it.each([
    ['DE', '2026-12-31T23:59:59.999Z', 190_000],
    ['DE', '2027-01-01T00:00:00.000Z', 210_000],
    ['DE', '2030-06-30T23:59:59.999Z', 210_000],
    ['DE', '2030-07-01T00:00:00.000Z', 160_000],
    ['NO', '2026-12-31T23:59:59.999Z', 0],
    ['NO', '2027-01-01T00:00:00.000Z', 250_000],
  ])('a rate for %s applies from its day on: at %s, it is %i millionths', (country, at, ppm) => {
    const dated = ['DE=16@2030-07-01', 'DE=21@2027-01-01', 'DE=19', 'NO=25@2027-01-01'];
    expect(new TaxRates(dated).taxOf({ country }, new Date(at)).ppm).toBe(ppm);
  });

  it('cents are rounded half up, and net and tax always add up', () => {
    expect(taxOn(27_000_000n, 81_000)).toBe(2_190_000n);
    expect(taxOn(50_000n, 100_000)).toBe(10_000n);
    for (let cents = 0n; cents < 2_000n; cents += 7n) {
      const net = cents * 10_000n;
      const gross = net + taxOn(net, 190_000);
      expect(taxWithin(gross, 190_000)).toBe(gross - net);
    }
  });

  it.each([
    'DE',
    'DE=',
    'de=19',
    'DE=190',
    'DE=19%',
    'DE=-1',
    'DE=19/',
    'DE=19,DE=7',
    'DE=1.23456',
    'DE=19@2027',
    'DE=19@2027-13-01',
    'DE=19@2027-02-30',
    'DE=19@2027-04-31',
    'DE=19@2027-01-01,DE=21@2027-01-01',
  ])('%s is rejected at startup', (text) => {
    expect(() => loadConfig(BillingConfig, { BILLING_TAX_RATES: text })).toThrow(
      ConfigurationError,
    );
    expect(faultsOf(text)).toHaveLength(1);
  });

  it('a valid table is accepted', () => {
    expect(faultsOf('DE=19,DE=21@2027-01-01,DE=20@2027-12-31,FR=20/0,CH=8.1')).toEqual([]);
  });
});

function faultsOf(rates: string): string[] {
  try {
    loadConfig(BillingConfig, { BILLING_TAX_RATES: rates });
    return [];
  } catch (error) {
    return (error as ConfigurationError).faults.filter((fault) =>
      fault.includes('BILLING_TAX_RATES'),
    );
  }
}
