import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { InvoiceKind } from '#libs/contracts';
import type { Micros } from '#libs/platform';
import type { PaidBy, Seller } from '../invoice-pdf/invoice-document.js';
import { BIGINT_COLUMN } from '../pricing/micros-column.js';

export interface InvoiceLine {
  text: string;
  quantity: number;
  /** The price before tax, in millionths of the currency unit, as a decimal string. */
  netMicros: string;
  /** The tax rate, in millionths of the net amount. */
  taxPpm: number;
}

/**
 * The accounting entry for a payment (an invoice), for returned money (a credit note) or for returned money that was
 * paid again (a debit note). The entry never changes; its printed form changes with the buyer's details.
 */
@Entity('invoices')
export class Invoice {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'account_id' })
  accountId: string;

  @Column('text')
  kind: InvoiceKind;

  /** The series, such as `INV-2026` or `INV-2026B`; numbers have no gaps within a series. */
  @Column('text')
  series: string;

  @Column('integer')
  number: number;

  @Column('uuid', { name: 'payment_id' })
  paymentId: string;

  /** The reversal that caused a credit or debit note; null for an invoice. */
  @Column('uuid', { name: 'reversal_id', nullable: true })
  reversalId: string | null;

  /** The number of the invoice that a note corrects; null for an invoice. */
  @Column('text', { nullable: true })
  corrects: string | null;

  @Column('jsonb')
  lines: InvoiceLine[];

  @Column('bigint', { name: 'tax_micros', transformer: BIGINT_COLUMN })
  taxMicros: Micros;

  /** The total including tax; positive for notes as well. */
  @Column('bigint', { name: 'total_micros', transformer: BIGINT_COLUMN })
  totalMicros: Micros;

  /**
   * An amount paid in addition to the total, which the processor carried over from another bill; negative if the amount
   * was carried to a later bill or deducted.
   */
  @Column('bigint', { name: 'carried_micros', transformer: BIGINT_COLUMN })
  carriedMicros: Micros;

  /** Whether the buyer owes the tax (reverse charge). Later changes to the billing details do not change this. */
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

/** The format of `invoiceNumber`. The column has room for nine digits. */
export const INVOICE_NUMBER = /^([A-Z]{2,4}-[0-9]{4}[A-Z]{0,3})-([0-9]{1,9})$/;

/** Returns the number in the form `INV-2026-000042`. */
export function invoiceNumber({ series, number }: Pick<Invoice, 'series' | 'number'>): string {
  return `${series}-${String(number).padStart(6, '0')}`;
}

/** Returns the year of issue (UTC), which determines how long the invoice is kept. */
export const yearOf = ({ issuedAt }: Pick<Invoice, 'issuedAt'>) => issuedAt.getUTCFullYear();
