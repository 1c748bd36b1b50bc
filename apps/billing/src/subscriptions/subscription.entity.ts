import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { BillingInterval, SubscriptionLineName, SubscriptionState } from '#libs/contracts';
import type { ProcessorName } from '../processors/payment-processor.js';

@Entity('subscriptions')
export class Subscription {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'account_id' })
  accountId: string;

  @Column('uuid', { name: 'order_id' })
  orderId: string;

  @Column('text')
  line: SubscriptionLineName;

  @Column('text')
  processor: ProcessorName;

  @Column('text', { name: 'external_id' })
  externalId: string;

  @Column('text')
  state: SubscriptionState;

  @Column('text')
  sku: string;

  @Column('integer')
  quantity: number;

  @Column('text')
  interval: BillingInterval;

  @Column('text', { name: 'catalogue_version' })
  catalogueVersion: string;

  /** ISO 4217. */
  @Column('text')
  currency: string;

  /**
   * The tax rate included in the prices, in millionths of the net price. A period keeps the rate with which it began.
   */
  @Column('integer', { name: 'tax_ppm' })
  taxPpm: number;

  /** Whether the buyer owes the tax, as decided before a renewal; null if the decision of the order still applies. */
  @Column('boolean', { name: 'is_reverse_charge', nullable: true })
  isReverseCharge: boolean | null;

  /** The time of the latest renewal whose tax has been decided. */
  @Column('timestamptz', { name: 'tax_decided_at', nullable: true })
  taxDecidedAt: Date | null;

  /** The rate decided for the period after that renewal. */
  @Column('integer', { name: 'next_tax_ppm', nullable: true })
  nextTaxPpm: number | null;

  @Column('timestamptz', { name: 'period_start' })
  periodStart: Date;

  @Column('timestamptz', { name: 'period_end' })
  periodEnd: Date;

  /** The end of the last paid period that was not reversed. */
  @Column('timestamptz', { name: 'paid_through', nullable: true })
  paidThrough: Date | null;

  @Column('timestamptz', { name: 'cancel_at', nullable: true })
  cancelAt: Date | null;

  @Column('text', { name: 'pending_sku', nullable: true })
  pendingSku: string | null;

  @Column('integer', { name: 'pending_quantity', nullable: true })
  pendingQuantity: number | null;

  /**
   * The plan of the change that the customer requested but has not paid for; the next five columns also describe that
   * change.
   */
  @Column('text', { name: 'unpaid_sku', nullable: true })
  unpaidSku: string | null;

  @Column('integer', { name: 'unpaid_quantity', nullable: true })
  unpaidQuantity: number | null;

  /** The amount due as decimal text, because rows are compared by their text. */
  @Column('bigint', { name: 'unpaid_micros', nullable: true })
  unpaidMicros: string | null;

  /**
   * The URL where the change is paid; null if the customer must request the change again, or the payment is under
   * review.
   */
  @Column('text', { name: 'unpaid_page', nullable: true })
  unpaidPage: string | null;

  @Column('timestamptz', { name: 'unpaid_until', nullable: true })
  unpaidUntil: Date | null;

  @Column('text', { name: 'unpaid_because', nullable: true })
  unpaidBecause: 'waiting' | 'declined' | null;

  /** Whether this is the current subscription of its line; an account has at most one per line. */
  @Column('boolean', { name: 'is_current' })
  isCurrent: boolean;

  @Column('boolean', { name: 'is_duplicate' })
  isDuplicate: boolean;

  /** Whether the account's deletion, not the customer, cancelled the subscription. */
  @Column('boolean', { name: 'is_cancelled_by_deletion' })
  isCancelledByDeletion: boolean;

  /**
   * The change that the cancellation dropped. Undoing the cancellation, or restoring the account, schedules the change
   * again.
   */
  @Column('text', { name: 'restorable_sku', nullable: true })
  restorableSku: string | null;

  @Column('integer', { name: 'restorable_quantity', nullable: true })
  restorableQuantity: number | null;

  /**
   * Whether final reversals took back the payment for the last period or for the rest of it. The subscription is then
   * ended at the processor.
   */
  @Column('boolean', { name: 'is_reversed' })
  isReversed: boolean;

  /** The plan to restore, because a change was reversed or is paid again. */
  @Column('text', { name: 'wanted_sku', nullable: true })
  wantedSku: string | null;

  @Column('integer', { name: 'wanted_quantity', nullable: true })
  wantedQuantity: number | null;

  @Column('text', { name: 'set_aside_because', nullable: true })
  setAsideBecause: string | null;

  /** The end of the rights that an unreadable paid bill would give. The customer has them until an operator decides. */
  @Column('timestamptz', { name: 'held_through', nullable: true })
  heldThrough: Date | null;

  /** The processor's ids of the unreadable paid bills that keep the subscription set aside. */
  @Column('text', { name: 'held_bill_ids', array: true })
  heldBillIds: string[];

  /** The plan of the last period that is still paid, which limits the rights; null if there is none. */
  @Column('text', { name: 'paid_sku', nullable: true })
  paidSku: string | null;

  @Column('integer', { name: 'paid_quantity', nullable: true })
  paidQuantity: number | null;

  @Column('text', { name: 'grace_sku', nullable: true })
  graceSku: string | null;

  @Column('integer', { name: 'grace_quantity', nullable: true })
  graceQuantity: number | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt: Date;
}
