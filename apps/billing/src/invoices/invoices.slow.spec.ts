import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type ChosenProcessor,
  type InvoiceAnswer,
  PROCESSOR_TITLES,
  type Paging,
} from '#libs/contracts';
import { withClient } from '#libs/database';
import { DAY_MS, newId } from '#libs/platform';
import { scrape } from '#test/environment';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { readPdf } from '../../../../test/billing/pdf-text.js';
import { BOTH, type ProcessorSide, sideOf } from '../../../../test/billing/sides/side-of.js';

const DETAILS = { address_line1: '1 Quay', city: 'Leith', country: 'GB' };

let billing: BillingUnderTest;
let accountId: string;
let processor: ChosenProcessor;

beforeAll(async () => {
  billing = await BillingUnderTest.start();
});
afterAll(() => billing?.stop());
beforeEach(() => {
  accountId = billing.newAccount();
});
afterEach(async () => {
  expect(billing.logLines.splice(0)).toEqual([]);
  expect(await billing.violations()).toEqual([]);
});

const list = async (): Promise<InvoiceAnswer[]> =>
  (await billing.call('GET', 'invoices', { accountId })).body.invoices;
const pdf = (id: string) => billing.bytes(`invoices/${id}/pdf`, accountId);
const regenerate = (id: string) => billing.call('POST', `invoices/${id}/regenerate`, { accountId });
async function buy(credits = 15_000): Promise<string> {
  await billing.act(await billing.order(accountId, credits, processor), 'pay');
  await billing.deliverMail(accountId);
  return (await sideOf(billing, processor).paymentsOf(accountId))[0];
}

it('after a restore, new letters begin new series, so that no number is given twice', async () => {
  processor = 'stripe';
  await buy();
  billing.config.invoiceSeries = 'B';
  const payment = await buy();
  sideOf(billing, processor).refund(payment, 10);
  await billing.settle();
  billing.config.invoiceSeries = '';
  await buy();
  const numbers = (await list()).map(({ number }) => number);
  const [last, note, begun, first] = numbers;
  expect([note, begun]).toEqual(['CN-2026B-000001', 'INV-2026B-000001']);
  expect(Number(last.slice(-6))).toBe(Number(first.slice(-6)) + 1);
  const asked = { accountId, caller: 'cli', body: { number: begun } } as const;
  expect((await billing.call('POST', 'operator/receipts', asked)).body).toEqual({ number: begun });
});

describe.each(BOTH)('invoices of %s', (name) => {
  let side: ProcessorSide;

  beforeAll(() => {
    processor = name;
    side = sideOf(billing, processor);
  });

  it('each payment has an invoice with the next number, printed with the current details and stored with its hash', async () => {
    billing.contacts.set(accountId, { details: { ...DETAILS, organisation: 'Example Ltd' } });
    await buy(15_000);
    await buy(5_000);
    const [second, first] = await list();
    expect(first).toMatchObject({
      kind: 'invoice',
      net_micros: '54000000',
      tax_micros: '0',
      total_micros: '54000000',
      currency: 'USD',
      revision: 1,
    });
    const numberOf = ({ number }: InvoiceAnswer) => Number(number.slice(-6));
    expect(first.number).toMatch(/^INV-2026-\d{6}$/);
    expect(numberOf(second)).toBe(numberOf(first) + 1);
    const { status, headers, body } = await pdf(first.id);
    expect([status, headers['content-type']]).toEqual([200, 'application/pdf']);
    expect(headers['content-disposition']).toBe(`attachment; filename="${first.number}.pdf"`);
    expect(createHash('sha256').update(body).digest('hex')).toBe(first.sha256);
    const [page] = (await readPdf(body)).pages;
    const paidBy = `${PROCESSOR_TITLES[processor]}, `;
    const texts = [first.number, 'Example Ltd', '1 Quay', 'United Kingdom', '15,000 credits'];
    for (const text of [...texts, '54.00 USD', paidBy]) expect(page).toContain(text);
  });

  it('S44: a return after the callback creates no second invoice and no second e-mail', async () => {
    const order = await billing.order(accountId, 15_000, processor);
    await billing.act(order, 'pay');
    await billing.call('POST', `orders/${order.id}/return`, { accountId });
    await billing.settle();
    await billing.deliverMail(accountId);
    expect(await billing.deliverMail(accountId)).toHaveLength(1);
    expect(await list()).toHaveLength(1);
  });

  it('a plan’s first bill and its renewal each have an invoice that names plan and period', async () => {
    const wish = { product: 'subscription', sku: 'api-15K-month', processor };
    const { body: order } = await billing.call('POST', 'orders', { accountId, body: wish });
    await billing.act(order, 'pay');
    await billing.pass(32 * DAY_MS);
    await billing.deliverMail(accountId);
    const invoices = await list();
    expect(invoices.map(({ total_micros: total }) => total)).toEqual(['27000000', '27000000']);
    const { body } = await pdf(invoices[0].id);
    expect((await readPdf(body)).pages[0]).toMatch(
      /API plan 15K, 2026-\d\d-\d\d to 2026-\d\d-\d\d/,
    );
  });

  it('returned money leads to a credit note, in full or in part; money that is paid again leads to a debit note', async () => {
    const payment = await buy();
    const refund = side.refund(payment, 10);
    await billing.settle();
    expect((await list()).map(({ kind, total_micros: total }) => [kind, total])).toEqual([
      ['credit_note', '10000000'],
      ['invoice', '54000000'],
    ]);
    const pages = [];
    let query = 'page_size=1';
    for (let i = 0; i < 2; i++) {
      const { body } = await billing.call('GET', `invoices?${query}`, { accountId });
      pages.push(...(body.invoices as InvoiceAnswer[]));
      query = `page_size=1&cursor=${(body.paging as Paging).next_cursor}`;
    }
    expect(pages).toEqual(await list());
    const [note, invoice] = await list();
    expect(note).toMatchObject({ corrects: invoice.number, state: 'note' });
    expect(invoice).toMatchObject({ state: 'partly_returned', items: ['15,000 credits'] });
    expect(note.number).toMatch(/^CN-2026-\d{6}$/);
    side.failRefund(refund);
    await billing.settle();
    const [debit] = await list();
    expect(debit).toMatchObject({ kind: 'debit_note', total_micros: '10000000' });
    const mails = await billing.deliverMail(accountId);
    expect(mails.map(({ subject }) => subject.split(':')[0])).toEqual([
      'Receipt',
      'Returned',
      'Correction',
    ]);
    // 15,000 × 10/54, rounded up: the credits bought with the refunded 10 of 54 dollars.
    expect(mails[1].text).toContain('2,778 credits taken back');
    expect(mails[2].text).toContain('2,778 credits are yours again');
  });

  it('a lost dispute becomes one credit note', async () => {
    const payment = await buy();
    const dispute = side.dispute(payment);
    await billing.settle();
    expect(await list()).toHaveLength(1);
    side.decideDispute(dispute, 'lost');
    await billing.settle();
    await billing.settle();
    expect((await list()).map(({ kind }) => kind)).toEqual(['credit_note', 'invoice']);
  });
});

describe('invoices', () => {
  beforeAll(() => {
    processor = 'stripe';
  });

  it('while the account service is down, payments are stored and their invoices are numbered; the PDFs follow later', async () => {
    // Prints the invoices left by earlier tests.
    await billing.deliverMail(accountId);
    billing.contacts.isDown = true;
    await buy();
    const [unprinted] = await list();
    expect(unprinted).toMatchObject({ revision: 0, sha256: null });
    expect(await billing.call('GET', `invoices/${unprinted.id}/pdf`, { accountId })).toMatchObject({
      status: 503,
      body: { code: 'invoice_not_printed' },
    });
    expect(await billing.deliverMail(accountId)).toEqual([]);
    const scraped = await scrape(billing.service.url);
    expect(scraped.get('dds_work_items{queue="print-invoices",state="waiting"}')).toBe(1);
    expect(scraped.get('dds_work_items{queue="print-invoices",state="dead"}')).toBe(0);
    billing.contacts.isDown = false;
    await billing.pass(10_000);
    expect(await billing.deliverMail(accountId)).toHaveLength(1);
    expect((await list())[0].revision).toBe(1);
  });

  it('changed details create the next revision with the same number and amount', async () => {
    await buy();
    const [before] = await list();
    const { body: first } = await pdf(before.id);
    expect((await regenerate(before.id)).body).toEqual(before);
    billing.contacts.set(accountId, { details: { ...DETAILS, tax_id: 'GB123456789' } });
    const { status, body: after } = await regenerate(before.id);
    expect(status).toBe(200);
    expect(after).toMatchObject({ number: before.number, revision: 2, total_micros: '54000000' });
    expect(after.sha256).not.toBe(before.sha256);
    const { body: second, headers } = await pdf(before.id);
    expect(headers['content-disposition']).toContain(`${before.number}-2.pdf`);
    const [page] = (await readPdf(second)).pages;
    expect(page).toContain('Tax ID: GB123456789');
    expect(page).toContain(before.number);
    expect(second.equals(first)).toBe(false);
    expect((await regenerate(before.id)).body).toEqual(after);
  });

  it('simultaneous reprints create one new revision', async () => {
    await buy();
    const [{ id }] = await list();
    billing.contacts.set(accountId, { firstName: 'Grace' });
    const answers = await Promise.all(Array.from({ length: 4 }, () => regenerate(id)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await list())[0].revision).toBe(2);
  });

  it('an account can have invoices reprinted 20 times in 24 hours, and again a day later', async () => {
    await buy();
    const [{ id }] = await list();
    const again = async (firstName: string) => {
      billing.contacts.set(accountId, { firstName });
      return (await regenerate(id)).status;
    };
    for (let n = 0; n < 20; n += 1) expect(await again(`Name ${n}`)).toBe(200);
    expect(await again('One more')).toBe(429);
    await billing.pass(DAY_MS);
    expect(await again('One more')).toBe(200);
    expect((await list())[0].revision).toBe(22);
  });

  it('S85: no account can list, read or reprint another account’s invoice', async () => {
    await buy();
    const [{ id }] = await list();
    accountId = billing.newAccount();
    expect(await list()).toEqual([]);
    for (const stranger of [id, 'no-id']) {
      expect((await billing.call('GET', `invoices/${stranger}/pdf`, { accountId })).status).toBe(
        404,
      );
      expect((await regenerate(stranger)).status).toBe(404);
    }
  });

  it('S122: for an unknown invoice no billing details are read, and an account’s simultaneous reprints are limited', async () => {
    await buy();
    const [{ id }] = await list();
    billing.contacts.isDown = true;
    expect((await regenerate(newId())).status).toBe(404);
    billing.contacts.isDown = false;
    const answers = await Promise.all(Array.from({ length: 70 }, () => regenerate(id)));
    const allowed = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 429);
    expect([allowed.length < 62, allowed.length + refused.length]).toEqual([true, 70]);
  });

  it('S119: no stored revision, event or log line contains the buyer’s data in plain text, and a changed PDF is not delivered', async () => {
    billing.contacts.set(accountId, { firstName: 'Zenobia', details: DETAILS });
    await buy();
    const [{ id }] = await list();
    const rows = await billing.database.query(
      `select encode(buyer, 'escape') || encode(pdf, 'escape') as text from invoice_revisions
       where invoice_id = $1`,
      [id],
    );
    const events = await billing.events(accountId);
    expect(events.length).toBeGreaterThan(0);
    for (const sink of [rows, events, billing.logLines]) {
      expect(JSON.stringify(sink)).not.toMatch(/Zenobia|1 Quay|%PDF/);
    }
    await withClient(billing.test.url(), (client) =>
      client.query(
        `update billing.invoice_revisions set pdf = set_byte(pdf, 40, 255 - get_byte(pdf, 40))
         where invoice_id = $1`,
        [id],
      ),
    );
    expect((await pdf(id)).status).toBe(500);
    expect(billing.logLines.splice(0)).toHaveLength(1);
  });

  it('after an erasure no revision is created; money that still arrives gets an invoice without a name', async () => {
    await buy();
    const [{ id }] = await list();
    const order = await billing.order(accountId, 15_000, processor);
    await billing.deliver('deleted', accountId);
    await billing.deliver('erased', accountId);
    expect((await regenerate(id)).status).toBe(403);
    await billing.act(order, 'pay');
    const before = (await billing.deliverMail(accountId)).length;
    const [late] = await list();
    const [page] = (await readPdf((await pdf(late.id)).body)).pages;
    expect(page).toContain(`Account ${accountId}`);
    expect(page).not.toContain('@payer.example');
    expect(before).toBe(1);
  });
});
