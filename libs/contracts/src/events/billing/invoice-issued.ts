import { IsIn, IsInt, IsString, IsUUID, Min } from 'class-validator';
import { EventType } from '../event-type.js';

export const INVOICE_KINDS = ['invoice', 'credit_note', 'debit_note'] as const;
/** A credit note reduces an invoice; a debit note reverses a credit note. */
export type InvoiceKind = (typeof INVOICE_KINDS)[number];

/** An invoice or a note can be downloaded. Aggregate `invoice:<id>`; published once for each. */
@EventType({ type: 'billing.invoice-issued', version: 1, kind: 'delta' })
export class InvoiceIssued {
  @IsUUID()
  invoiceId: string;

  @IsIn(INVOICE_KINDS)
  kind: InvoiceKind;

  /** The number as printed: `INV-2026-17`. */
  @IsString()
  number: string;

  @IsInt()
  @Min(1)
  revision: number;
}
