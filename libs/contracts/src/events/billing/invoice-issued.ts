import { IsIn, IsInt, IsString, IsUUID, Min } from 'class-validator';
import { INVOICE_KINDS, type InvoiceKind } from '../../operations/billing/invoice-answer.js';
import { EventType } from '../event-type.js';

/** An invoice or a note can be downloaded. Aggregate `invoice:<id>`; once for each. */
@EventType({ type: 'billing.invoice-issued', version: 1, kind: 'delta' })
export class InvoiceIssued {
  @IsUUID()
  invoiceId: string;

  @IsIn(INVOICE_KINDS)
  kind: InvoiceKind;

  /** As printed: `INV-2026-17`. */
  @IsString()
  number: string;

  @IsInt()
  @Min(1)
  revision: number;
}
