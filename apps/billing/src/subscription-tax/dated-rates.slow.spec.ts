import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { InvoiceAnswer, OrderAnswer } from '#libs/contracts';
import { DAY_MS } from '#libs/platform';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { BOTH } from '../../../../test/billing/sides/side-of.js';

const ADDRESS = { address_line1: '1 Quai', city: 'Genève', country: 'CH' };

let billing: BillingUnderTest;

beforeAll(async () => {
  // The clock of the tests begins on 2026-03-02, so the first renewals are on 2026-04-02.
  billing = await BillingUnderTest.start({ taxRates: ['CH=8', 'CH=10@2026-04-02'] });
});
afterAll(() => billing.stop());

it('a rate that is set with its first day applies from the renewals of that day on, at both processors', async () => {
  const accounts = BOTH.map(() => billing.newAccount());
  for (const [at, processor] of BOTH.entries()) {
    const accountId = accounts[at];
    billing.contacts.set(accountId, { details: ADDRESS });
    const body = { product: 'subscription', sku: 'api-5K-month', processor };
    const ordered = await billing.call('POST', 'orders', { accountId, body });
    await billing.act(ordered.body as OrderAnswer, 'pay');
  }
  for (const days of [18, 10, 4]) {
    await billing.pass(days * DAY_MS);
    await billing.follow();
  }
  for (const accountId of accounts) {
    const { body } = await billing.call('GET', 'invoices', { accountId });
    const taxes = (body.invoices as InvoiceAnswer[]).map(({ tax_micros }) => tax_micros);
    expect(taxes).toEqual(['1000000', '800000']);
  }
  expect(billing.logLines).toEqual([]);
});
