import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Micros } from '#libs/platform';
import { BIGINT_COLUMN } from '../pricing/micros-column.js';
import type { ProcessorName } from '../processors/payment-processor.js';

/** Money that arrived. Its amounts never change, because reversals are separate rows. */
@Entity('payments')
export class Payment {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'account_id' })
  accountId: string;

  @Column('uuid', { name: 'order_id', nullable: true })
  orderId: string | null;

  @Column('text')
  processor: ProcessorName;

  @Column('text', { name: 'external_id' })
  externalId: string;

  /** The processor's bill that the payment paid; null for an order that is paid once. */
  @Column('text', { name: 'bill_id', nullable: true })
  billId: string | null;

  @Column('bigint', { name: 'amount_micros', transformer: BIGINT_COLUMN })
  amountMicros: Micros;

  /**
   * The part of the payment that its lines do not account for: carried over between bills by a balance or a minimum, or
   * deducted by a coupon. Negative if less was paid than the lines cost.
   */
  @Column('bigint', { name: 'carried_micros', transformer: BIGINT_COLUMN })
  carriedMicros: Micros;

  /** ISO 4217. */
  @Column('text')
  currency: string;

  @Column('text', { name: 'catalogue_version' })
  catalogueVersion: string;

  /**
   * Whether the payment is announced. False for money that is refunded without an event, because the payment is a
   * duplicate, came too late for its change, or belongs to a deleted account.
   */
  @Column('boolean', { name: 'is_announced' })
  isAnnounced: boolean;

  /**
   * Whether the payment turned out, after its announcement, to be for a second subscription of a line. Such a payment
   * is refunded.
   */
  @Column('boolean', { name: 'is_unwanted' })
  isUnwanted: boolean;

  /** When an unwanted payment was returned completely, or its refund began. */
  @Column('timestamptz', { name: 'returned_at', nullable: true })
  returnedAt: Date | null;

  @Column('timestamptz', { name: 'confirmed_at' })
  confirmedAt: Date;
}
