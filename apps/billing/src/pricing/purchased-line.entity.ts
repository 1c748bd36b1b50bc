import { Column, PrimaryColumn } from 'typeorm';
import type { PaymentLineKind } from '#libs/contracts';
import type { Micros } from '#libs/platform';
import { BIGINT_COLUMN } from './micros-column.js';

/** The total of a line, tax included. */
export const grossOf = ({
  amountMicros,
  taxMicros,
}: Pick<PurchasedLine, 'amountMicros' | 'taxMicros'>) => amountMicros + taxMicros;

/** The columns shared by the lines of orders and of payments: the item and its price. */
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

  /** Without tax. */
  @Column('bigint', { name: 'amount_micros', transformer: BIGINT_COLUMN })
  amountMicros: Micros;

  @Column('bigint', { name: 'tax_micros', transformer: BIGINT_COLUMN })
  taxMicros: Micros;

  /** The tax rate, in millionths of the amount: 190,000 is 19 %. */
  @Column('integer', { name: 'tax_ppm' })
  taxPpm: number;

  /** The package's credits; null for other lines. */
  @Column('bigint', { nullable: true, transformer: BIGINT_COLUMN })
  credits: bigint | null;

  @Column('text', { nullable: true })
  tier: string | null;
}
