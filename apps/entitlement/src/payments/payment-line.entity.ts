import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { PaymentLineKind } from '#libs/contracts';

/** A line of a payment that billing has announced. It never changes. */
@Entity('payment_lines')
export class PaymentLine {
  @PrimaryColumn('uuid', { name: 'line_id' })
  id: string;

  @Column('uuid', { name: 'payment_id' })
  paymentId: string;

  @Column('uuid', { name: 'order_id', nullable: true })
  orderId: string | null;

  @Column('uuid', { name: 'account_id' })
  accountId: string;

  @Column('text')
  kind: PaymentLineKind;

  @Column('text')
  sku: string;

  @Column('integer')
  quantity: number;

  @Column('bigint', { name: 'amount_micros' })
  amountMicros: string;

  @Column('bigint', { nullable: true })
  credits: string | null;

  @Column('text', { nullable: true })
  tier: string | null;

  /** This column and the columns below it, down to `monthly_credits`, are null unless the line is a stretch. */
  @Column('uuid', { name: 'subscription_id', nullable: true })
  subscriptionId: string | null;

  @Column('text', { name: 'period_interval', nullable: true })
  interval: 'month' | 'year' | null;

  @Column('timestamptz', { name: 'period_start', nullable: true })
  periodStart: Date | null;

  @Column('timestamptz', { name: 'period_end', nullable: true })
  periodEnd: Date | null;

  @Column('timestamptz', { name: 'from_at', nullable: true })
  from: Date | null;

  @Column('bigint', { name: 'monthly_credits', nullable: true })
  monthlyCredits: string | null;

  /** The time, by the injected clock, at which the line first arrived. */
  @Column('timestamptz', { name: 'heard_at' })
  heardAt: Date;
}
