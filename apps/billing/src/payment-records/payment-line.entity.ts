import { Column, Entity } from 'typeorm';
import type { BillingInterval } from '#libs/contracts';
import { BIGINT_COLUMN } from '../pricing/micros-column.js';
import { PurchasedLine } from '../pricing/purchased-line.entity.js';

@Entity('payment_lines')
export class StoredPaymentLine extends PurchasedLine {
  @Column('uuid', { name: 'payment_id' })
  paymentId: string;

  /** The subscription that the line paid for. This and the next four columns are null if the line paid for none. */
  @Column('uuid', { name: 'subscription_id', nullable: true })
  subscriptionId: string | null;

  @Column('text', { nullable: true })
  interval: BillingInterval | null;

  @Column('timestamptz', { name: 'period_start', nullable: true })
  periodStart: Date | null;

  @Column('timestamptz', { name: 'period_end', nullable: true })
  periodEnd: Date | null;

  /** When the line takes effect: the start of its own part of the period. */
  @Column('timestamptz', { name: 'starts_at', nullable: true })
  startsAt: Date | null;

  /** The monthly credits that the line adds; null for lines without credits. */
  @Column('bigint', { name: 'monthly_credits', nullable: true, transformer: BIGINT_COLUMN })
  monthlyCredits: bigint | null;

  /**
   * Whether the line is a change within a paid period. The reversal of such a line restores the earlier plan and does
   * not end the subscription.
   */
  @Column('boolean', { name: 'is_change' })
  isChange: boolean;
}
