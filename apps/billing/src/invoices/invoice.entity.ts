import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { InvoiceKind } from '#libs/contracts';
import type { Micros } from '#libs/platform';
import type { PaidBy, Seller } from '../invoice-pdf/invoice-document.js';
import { BIGINT_COLUMN } from '../pricing/micros-column.js';

/** A line as printed. */
export interface InvoiceLine {
  text: string;
  quantity: number;
  /** Before tax, in millionths, decimal string. */
  netMicros: string;
  /** In millionths of the net amount. */
  taxPpm: number;
}

/**
 * The accounting entry for a payment (an invoice), for returned money (a credit note) or for returned money that
 * arrived again (a debit note). It never changes; its printed form changes with the buyer's details.
 */
@Entity('invoices')
export class Invoice {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'account_id' })
  accountId: string;

  @Column('text')
  kind: InvoiceKind;

  /** Numbers have no gaps within a series: `INV-2026`. */
  @Column('text')
  series: string;

  @Column('integer')
  number: number;

  @Column('uuid', { name: 'payment_id' })
  paymentId: string;

  /** Set for a credit or debit note. */
  @Column('uuid', { name: 'reversal_id', nullable: true })
  reversalId: string | null;

  /** Number of the invoice that a note corrects. */
  @Column('text', { nullable: true })
  corrects: string | null;

  @Column('jsonb')
  lines: InvoiceLine[];

  @Column('bigint', { name: 'tax_micros', transformer: BIGINT_COLUMN })
  taxMicros: Micros;

  /** Includes tax; positive for notes, too. */
  @Column('bigint', { name: 'total_micros', transformer: BIGINT_COLUMN })
  totalMicros: Micros;

  /**
   * Paid in addition to the total, because the processor carried it over from another bill; negative if it was carried
   * to a later bill or deducted.
   */
  @Column('bigint', { name: 'carried_micros', transformer: BIGINT_COLUMN })
  carriedMicros: Micros;

  /** As of the order: later changes of the billing details do not change the tax. */
  @Column('boolean', { name: 'is_reverse_charge' })
  isReverseCharge: boolean;

  /** ISO 4217. */
  @Column('text')
  currency: string;

  @Column('jsonb')
  seller: Seller;

  @Column('jsonb', { name: 'paid_by' })
  paidBy: PaidBy;

  @Column('timestamptz', { name: 'issued_at' })
  issuedAt: Date;
}

/** The format of `invoiceNumber`; nine digits fit the column. */
export const INVOICE_NUMBER = /^([A-Z]{2,4}-[0-9]{4})-([0-9]{1,9})$/;

/** `INV-2026-000042`. */
export function invoiceNumber({ series, number }: Pick<Invoice, 'series' | 'number'>): string {
  return `${series}-${String(number).padStart(6, '0')}`;
}

/** The year of issue (UTC), which determines how long the invoice is kept. */
export const yearOf = ({ issuedAt }: Pick<Invoice, 'issuedAt'>) => issuedAt.getUTCFullYear();
