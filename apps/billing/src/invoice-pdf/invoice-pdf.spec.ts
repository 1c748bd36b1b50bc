import { createHash } from 'node:crypto';
import { newId } from '#libs/platform';
import { describe, expect, it } from '@jest/globals';
import { BUYER, invoiceDocument } from '../../../../test/billing/invoice-example.js';
import { readPdf } from '../../../../test/billing/pdf-text.js';
import { type InvoiceDocument, buyerOf } from './invoice-document.js';
import { layoutOf } from './invoice-layout.js';
import { renderPdf } from './pdf-renderer.js';
import { printable } from './printable-text.js';

const named = (name: string) => invoiceDocument({ buyer: { ...BUYER, name } });
const read = async (from: InvoiceDocument) => readPdf(await renderPdf(from));

/** The hash of a PDF printed by release 0.1.0; the bytes of a PDF depend only on its data. */
const HASH_OF_0_1_0 = '3125dbc35aefd9dcf69ba4ace955bd29d26fe0f1c27d0b5c629b667e0f28a20a';

describe('invoice PDF', () => {
  it('contains what an accountant needs: parties, tax ids, lines, net, tax, total, means of payment', async () => {
    const { pages, info } = await read(
      invoiceDocument({ taxMicros: 9_000_000n, totalMicros: 1_234_500_000n, currency: 'EUR' }),
    );
    expect(pages).toHaveLength(1);
    for (const text of [
      'Invoice INV-2026-000042',
      'Domain Data Ltd',
      '2 Pier',
      'Tax ID: GB123456789',
      'Example Holdings GmbH',
      '20457 Hamburg',
      'Tax ID: DE123456789',
      'PO 7',
      '2026-03-02',
      '15,000 credits',
      'Net (EUR)',
      '54.00',
      '1,225.50 EUR',
      '9.00 EUR',
      '1,234.50 EUR',
      'Stripe, pi_123',
      'page 1 of 1',
    ]) {
      expect(pages[0]).toContain(text);
    }
    expect(pages[0]).not.toContain('Revision');
    expect(info.Title).toBe('Invoice INV-2026-000042');
  });

  it.each([
    [-12_340_000n, 'Carried over or deducted', '-12.34 USD', '41.66 USD'],
    [-120_000n, 'Carried over or deducted', '-0.12 USD', '53.88 USD'],
    [1_200_050_000n, 'Carried over from an earlier bill', '1,200.05 USD', '1,254.05 USD'],
  ])('an amount of %d micros that was carried over is listed below the total', async (...row) => {
    const [carriedMicros, ...texts] = row;
    const { pages } = await read(invoiceDocument({ totalMicros: 54_000_000n, carriedMicros }));
    for (const text of texts) expect(pages[0]).toMatch(new RegExp(`(^|\\s)${text}`));
  });

  it.each([
    ['Latin', 'Łódź Żółć Straße Ærø Ñandú Čeština Győr Ğüş Ţară Đà Nẵng'],
    ['Greek', 'Εταιρεία Πληροφορικής ΑΕ, Αθήνα'],
    ['Cyrillic', 'Общество «Пример», Київ, Љубљана'],
  ])('%s letters can be read back unchanged', async (_, name) => {
    const { pages } = await read(named(name));
    expect(pages[0].replaceAll('\n', ' ')).toContain(name);
  });

  it('fifty lines continue over several pages, each of which has the table header and a page number', async () => {
    const lines = Array.from({ length: 50 }, (_, n) => ({
      text: `API plan ${n + 1}, 2026-03-02 to 2026-04-02, under a name long enough for two lines on the page`,
      quantity: 1,
      netMicros: '27000000',
      taxPpm: 0,
    }));
    const { pages } = await read(invoiceDocument({ lines, totalMicros: 1_350_000_000n }));
    expect(pages.length).toBeGreaterThan(1);
    pages.forEach((page, index) => {
      expect(page).toContain(`page ${index + 1} of ${pages.length}`);
      expect([index, page.includes('Description')]).toEqual([index, page.includes('API plan')]);
    });
    const whole = pages.join('\n').replaceAll('\n', ' ');
    for (let n = 1; n <= 50; n++) expect(whole).toContain(`API plan ${n},`);
    expect(whole).toContain('1,350.00 USD');
  });

  it('a note names the invoice that it corrects, and a later revision says so', async () => {
    const note = invoiceDocument({
      kind: 'credit_note',
      number: 'CN-2026-000001',
      corrects: 'INV-2026-000042',
    });
    const { pages: credit } = await read(note);
    expect(credit[0]).toContain('Credit note CN-2026-000001');
    expect(credit[0]).toContain('INV-2026-000042');
    const printedAt = new Date('2026-04-01T10:00:00Z');
    const { pages: second } = await read(invoiceDocument({ revision: 2, printedAt }));
    expect(second[0]).toContain('2, printed 2026-04-01');
  });

  it('equal documents produce equal bytes, and documents of different buyers do not', async () => {
    const first = await renderPdf(invoiceDocument());
    expect((await renderPdf(invoiceDocument())).equals(first)).toBe(true);
    expect((await renderPdf(named('Somebody Else'))).equals(first)).toBe(false);
  });

  it('an invoice of 0.1.0 is reprinted unchanged', () => {
    const paidBy = { processor: 'paypal', reference: '7NW873794T343360M' };
    const layout = JSON.stringify(layoutOf(invoiceDocument({ paidBy })));
    expect(layout).toContain('paypal, 7NW873794T343360M');
    expect(createHash('sha256').update(layout).digest('hex')).toBe(HASH_OF_0_1_0);
  });

  it('look-alike letters stay distinct, whatever was printed earlier', async () => {
    const names = ['AEBKMHOPCTX', 'ΑΕΒΚΜΗΟΡΤΧ', 'АЕВКМНОРСТХ'];
    for (const name of [...names, names[0]]) {
      expect((await read(named(name))).pages[0]).toContain(name);
    }
  });

  it('an invoice of an erased buyer names only the account', async () => {
    const { pages } = await read(invoiceDocument({ buyer: null }));
    expect(pages[0]).toContain('Account 019a5f00-0000-7000-8000-000000000009');
    expect(pages[0]).not.toContain('Example Holdings');
  });

  it('S66, S80: markup and addresses in a name stay text: no link, no image, no fetch', async () => {
    const name = '<img src="http://127.0.0.1:9/x"> =HYPERLINK("http://x") {image: "/etc/passwd"}';
    const { pages, annotations } = await read(named(name));
    expect(pages[0].replaceAll('\n', ' ')).toContain('<img src="http://127.0.0.1:9/x">');
    expect(annotations).toBe(0);
    const pdf = await renderPdf(named(name));
    for (const word of ['/URI', '/Subtype /Image', '/JavaScript', '/EmbeddedFile']) {
      expect(pdf.includes(word)).toBe(false);
    }
  });

  it.each([
    ['control characters', 'Ex\u0000am\u0007ple\r\nBcc: x', 'Example Bcc: x'],
    ['direction marks', 'Example \u202egnp.exe\u2066\u200f', 'Example gnp.exe'],
    ['letters the font lacks', 'שלום مرحبا 東京', '???? ????? ??'],
    ['marks upon marks', `A${'\u0301\u0302'.repeat(3)}`, 'Á?????'],
    ['a lone surrogate', 'A\ud800B', 'AB'],
    ['an emoji', 'Café 🎉', 'Café ?'],
  ])('S81: %s are not printed', (_, text, expected) => {
    expect(printable(text)).toBe(expected);
  });

  it('S81: a name of 10,000 characters is shortened, and an invoice full of such texts has fewer than four pages', async () => {
    const { pages } = await read(named('x'.repeat(10_000)));
    expect(pages).toHaveLength(1);
    expect(printable('x'.repeat(10_000))).toBe(`${'x'.repeat(299)}…`);
    expect(pages[0]).toContain('page 1 of 1');
    const everywhere = 'W'.repeat(10_000);
    const address = Array.from({ length: 5 }, () => everywhere);
    const long = { ...BUYER, name: everywhere, contact: everywhere, address, taxId: everywhere };
    const lines = [{ text: everywhere, quantity: 1, netMicros: '1', taxPpm: 0 }];
    const { pages: full } = await read(invoiceDocument({ buyer: long, lines }));
    expect(full.length).toBeLessThan(4);
  });

  it('S80: the document stays short, however long the texts are', () => {
    const drawnOf = (text: string) => {
      const address = Array.from({ length: 5 }, () => text);
      const buyer = {
        ...BUYER,
        name: text,
        contact: text,
        address,
        taxId: text,
        purchaseOrder: text,
      };
      const lines = [{ text, quantity: 1, netMicros: '1', taxPpm: 0 }];
      return JSON.stringify(layoutOf(invoiceDocument({ buyer, lines }))).length;
    };
    expect(drawnOf('W'.repeat(1_000_000))).toBe(drawnOf('W'.repeat(1_000)));
    expect(drawnOf('W'.repeat(1_000_000))).toBeLessThan(20_000);
  });

  it('names a company before the person who bought; without billing details, only the person', () => {
    const details = {
      organisation: 'X Ltd',
      address_line1: '1 Quay',
      city: 'Leith',
      country: 'GB',
    };
    const contact = { accountId: newId(), firstName: 'Ada', email: 'a@x.example' };
    expect(buyerOf({ ...contact, details })).toMatchObject({
      name: 'X Ltd',
      contact: 'Ada',
      address: ['1 Quay', 'Leith', 'United Kingdom'],
    });
    expect(buyerOf({ ...contact, details: null })).toMatchObject({
      name: 'Ada',
      contact: null,
      address: [],
    });
    // Names of people may use any script, but other texts on an invoice may not.
    expect(buyerOf({ ...contact, firstName: 'עדה', details: null })).toMatchObject({
      name: 'a@x.example',
      contact: null,
    });
  });
});
