import type { InvoiceAnswer } from '#libs/contracts';
import { type Invoice, invoiceNumber } from './invoice.entity.js';

export function toInvoiceAnswer(
  invoice: Invoice,
  latest: { revision: number; sha256: Buffer } | undefined,
): InvoiceAnswer {
  return {
    id: invoice.id,
    number: invoiceNumber(invoice),
    kind: invoice.kind,
    corrects: invoice.corrects,
    issued_at: invoice.issuedAt.toISOString(),
    net_micros: (invoice.totalMicros - invoice.taxMicros).toString(),
    tax_micros: invoice.taxMicros.toString(),
    total_micros: invoice.totalMicros.toString(),
    currency: invoice.currency,
    revision: latest?.revision ?? 0,
    sha256: latest?.sha256.toString('hex') ?? null,
  };
}
