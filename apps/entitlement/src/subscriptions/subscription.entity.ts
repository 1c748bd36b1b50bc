import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { MonitorSlots, RateLimits, SubscriptionState } from '#libs/contracts';

/** The last snapshot of a subscription: its state and rights. */
@Entity('subscriptions')
export class Subscription {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'account_id' })
  accountId: string;

  @Column('text')
  line: 'api' | 'domainer' | 'rate_limit';

  @Column('text')
  state: SubscriptionState;

  @Column('text')
  sku: string;

  @Column('integer')
  quantity: number;

  @Column('text', { name: 'period_interval' })
  interval: 'month' | 'year';

  @Column('timestamptz', { name: 'period_start' })
  periodStart: Date;

  @Column('timestamptz', { name: 'period_end' })
  periodEnd: Date;

  /** The end of the last period that was paid and whose payment was not reversed. */
  @Column('timestamptz', { name: 'paid_through', nullable: true })
  paidThrough: Date | null;

  @Column('timestamptz', { name: 'cancel_at', nullable: true })
  cancelAt: Date | null;

  @Column('jsonb')
  limits: RateLimits;

  @Column('jsonb')
  monitors: MonitorSlots;

  @Column('integer')
  keys: number;

  @Column('text', { array: true })
  datasets: string[];

  @Column('text', { name: 'catalogue_version' })
  catalogueVersion: string;

  @Column('bigint', { name: 'allowance_version' })
  allowanceVersion: string;
}
