import type { InvoiceAnswer, InvoiceState } from '#libs/contracts';
import type { Micros } from '#libs/platform';
import { type Invoice, invoiceNumber } from './invoice.entity.js';

interface Facts {
  latest?: { revision: number; sha256: Buffer };
  /** The credit notes minus the debit notes of the invoice's payment. */
  notedMicros: Micros;
}

export function toInvoiceAnswer(invoice: Invoice, { latest, notedMicros }: Facts): InvoiceAnswer {
  return {
    id: invoice.id,
    number: invoiceNumber(invoice),
    kind: invoice.kind,
    corrects: invoice.corrects,
    state: stateOf(invoice, notedMicros),
    issued_at: invoice.issuedAt.toISOString(),
    items: invoice.lines.map(({ text }) => text),
    net_micros: (invoice.totalMicros - invoice.taxMicros).toString(),
    tax_micros: invoice.taxMicros.toString(),
    total_micros: invoice.totalMicros.toString(),
    currency: invoice.currency,
    revision: latest?.revision ?? 0,
    sha256: latest?.sha256.toString('hex') ?? null,
  };
}

function stateOf({ kind, totalMicros, carriedMicros }: Invoice, notedMicros: Micros): InvoiceState {
  if (kind !== 'invoice') return 'note';
  if (notedMicros === 0n) return 'paid';
  // If a coupon or a balance paid a part, that part cannot be returned.
  const returnableMicros = carriedMicros < 0n ? totalMicros + carriedMicros : totalMicros;
  return notedMicros < returnableMicros ? 'partly_returned' : 'returned';
}
