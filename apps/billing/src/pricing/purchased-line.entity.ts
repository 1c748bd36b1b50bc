import { Column, PrimaryColumn } from 'typeorm';
import type { PaymentLineKind } from '#libs/contracts';
import type { Micros } from '#libs/platform';
import { BIGINT_COLUMN } from './micros-column.js';

/** The columns that lines of orders and lines of payments share: what was bought, and its price. */
export abstract class PurchasedLine {
  @PrimaryColumn('uuid')
  id: string;

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

  /** Only of a package. */
  @Column('bigint', { nullable: true, transformer: BIGINT_COLUMN })
  credits: bigint | null;

  @Column('text', { nullable: true })
  tier: string | null;
}
