import { IsIn, IsInt, IsString } from 'class-validator';
import { Nested, NestedList, NullableText } from '../../members.js';
import { INVOICE_KINDS, type InvoiceKind } from '../../events/billing/invoice-issued.js';
import { Paging } from '../paging/paging-answer.js';

/**
 * Whether the money of an invoice was kept completely, or returned in part or in full by refunds and lost disputes.
 * Credit and debit notes are `note`.
 */
export const INVOICE_STATES = ['paid', 'partly_returned', 'returned', 'note'] as const;
export type InvoiceState = (typeof INVOICE_STATES)[number];

export class InvoiceAnswer {
  @IsString()
  id: string;

  /** The number, without gaps within its kind and year: `INV-2026-000042`. */
  @IsString()
  number: string;

  @IsIn(INVOICE_KINDS)
  kind: InvoiceKind;

  /** The number of the corrected invoice; null for an invoice. */
  @NullableText()
  corrects: string | null;

  @IsIn(INVOICE_STATES)
  state: InvoiceState;

  @IsString()
  issued_at: string;

  /** The lines as printed: the purchase, or why money was returned. */
  @IsString({ each: true })
  items: string[];

  /** Millionths of the currency unit, decimal string. */
  @IsString()
  net_micros: string;

  @IsString()
  tax_micros: string;

  @IsString()
  total_micros: string;

  @IsString()
  currency: string;

  /** Revision of the PDF; 0 until the PDF is printed. */
  @IsInt()
  revision: number;

  /** SHA-256 of the PDF's bytes, in hexadecimal; null until the PDF is printed. */
  @NullableText()
  sha256: string | null;
}

/** A page of invoices, credit notes and debit notes, newest first. */
export class InvoicesAnswer {
  @NestedList(() => InvoiceAnswer)
  invoices: InvoiceAnswer[];

  @Nested(() => Paging)
  paging: Paging;
}
