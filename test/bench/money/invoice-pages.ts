import { newId } from '#libs/platform';
import { renderPdf } from '../../../apps/billing/src/invoice-pdf/pdf-renderer.js';
import { invoiceDocument } from '../../billing/invoice-example.js';
import { type BenchRow, timesRows } from '../bench.js';

const PAGES = 50;
const TARGET_MS = 60;

/** How long the invoice of one package takes to draw. */
export async function invoicePages(): Promise<BenchRow[]> {
  // Reads the fonts, once in a process.
  await renderPdf(invoiceDocument());
  const times: number[] = [];
  for (let page = 0; page < PAGES; page++) {
    const startedMs = performance.now();
    await renderPdf(invoiceDocument({ number: `INV-2026-${page}`, accountId: newId() }));
    times.push(performance.now() - startedMs);
  }
  const what = `an invoice is drawn, ${PAGES} of them`;
  return timesRows(what, times, TARGET_MS);
}
