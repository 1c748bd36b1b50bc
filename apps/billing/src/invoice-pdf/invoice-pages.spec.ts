import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { BUYER, invoiceDocument } from '../../../../test/billing/invoice-example.js';
import { drawPage, pageDistance } from '../../../../test/billing/pdf-pixels.js';
import type { InvoiceDocument } from './invoice-document.js';
import { renderPdf } from './pdf-renderer.js';

const KEPT = join(process.cwd(), 'apps/billing/src/invoice-pdf/pages');
/** The edges of letters differ between machines; a word that has moved causes a much larger difference. */
const DISTANCE_MAX = 12;

const LINE = { text: '15,000 credits', quantity: 1, netMicros: '54000000', taxPpm: 0 };
const taxed = invoiceDocument({ taxMicros: 10_260_000n, totalMicros: 64_260_000n });

/** Pages that were checked by eye. After an intended change, run with KEEP_PAGES=1 and check them again. */
const PAGES: Record<string, [document: InvoiceDocument, page: number]> = {
  'an invoice with tax': [taxed, 1],
  'the second of fifty lines': [
    invoiceDocument({ lines: Array.from({ length: 50 }, () => LINE), totalMicros: 2_700_000_000n }),
    2,
  ],
  'a credit note to a long name': [
    invoiceDocument({
      kind: 'credit_note',
      number: 'CN-2026-000001',
      corrects: 'INV-2026-000042',
      buyer: { ...BUYER, name: 'Ελληνική Εταιρεία και Товарищество с ограниченной '.repeat(5) },
    }),
    1,
  ],
};

describe('pages of invoices', () => {
  it.each(Object.entries(PAGES))(
    '%s looks like its reference picture',
    async (name, [document, page]) => {
      const drawn = await drawPage(await renderPdf(document), page);
      const file = join(KEPT, `${name.replaceAll(' ', '-')}.png`);
      if (process.env.KEEP_PAGES) await writeFile(file, drawn);
      expect(await pageDistance(drawn, await readFile(file))).toBeLessThan(DISTANCE_MAX);
    },
  );

  it('a different amount and a shifted line are detected', async () => {
    const kept = await readFile(join(KEPT, 'an-invoice-with-tax.png'));
    const buyer = { ...BUYER, address: ['Floor 2', ...BUYER.address] };
    for (const other of [
      { ...taxed, totalMicros: 64_270_000n },
      { ...taxed, buyer },
    ]) {
      const drawn = await drawPage(await renderPdf(other), 1);
      expect(await pageDistance(drawn, kept)).toBeGreaterThan(2 * DISTANCE_MAX);
    }
  });
});
