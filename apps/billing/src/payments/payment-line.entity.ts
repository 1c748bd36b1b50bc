import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { PaymentLineKind } from '#libs/contracts';
import type { Micros } from '#libs/platform';
import { BIGINT_COLUMN } from '../pricing/micros-column.js';

/** What one part of a payment paid for: the source of grants and rights. */
@Entity('payment_lines')
export class StoredPaymentLine {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'payment_id' })
  paymentId: string;

  @Column('uuid', { name: 'account_id' })
  accountId: string;

  @Column('text')
  kind: PaymentLineKind;

  @Column('text')
  sku: string;

  @Column('integer')
  quantity: number;

  @Column('bigint', { name: 'amount_micros', transformer: BIGINT_COLUMN })
  amountMicros: Micros;

  @Column('bigint', { nullable: true, transformer: BIGINT_COLUMN })
  credits: bigint | null;

  @Column('text', { nullable: true })
  tier: string | null;
}
