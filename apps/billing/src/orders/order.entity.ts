import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { OrderState } from '#libs/contracts';
import type { Micros } from '#libs/platform';
import { BIGINT_COLUMN } from '../pricing/micros-column.js';
import type { ProcessorName } from '../processors/payment-processor.js';

@Entity('orders')
export class Order {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'account_id' })
  accountId: string;

  /** The customer's `Idempotency-Key`, or the order's own id if the customer sent none. */
  @Column('text', { name: 'request_key' })
  requestKey: string;

  @Column('bytea', { name: 'request_hash' })
  requestHash: Buffer;

  @Column('text')
  state: OrderState;

  @Column('text')
  processor: ProcessorName;

  /** Includes tax. */
  @Column('bigint', { name: 'amount_micros', transformer: BIGINT_COLUMN })
  amountMicros: Micros;

  /** ISO 4217. */
  @Column('text')
  currency: string;

  /**
   * Whether the buyer owes the tax, as decided at the time of the order. A subscription's renewals may be decided anew.
   */
  @Column('boolean', { name: 'is_reverse_charge' })
  isReverseCharge: boolean;

  @Column('text', { name: 'catalogue_version' })
  catalogueVersion: string;

  /** The checkout's id at the processor; null until the processor has confirmed the checkout. */
  @Column('text', { name: 'checkout_id', nullable: true })
  checkoutId: string | null;

  @Column('text', { name: 'redirect_url', nullable: true })
  redirectUrl: string | null;

  /** When the payment was last declined; null if it never was. */
  @Column('timestamptz', { name: 'declined_at', nullable: true })
  declinedAt: Date | null;

  /** When the checkout page closes. */
  @Column('timestamptz', { name: 'expires_at' })
  expiresAt: Date;

  /** The reason why an operator must check the order; nothing is granted in the meantime. */
  @Column('text', { name: 'set_aside_because', nullable: true })
  setAsideBecause: string | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt: Date;
}
