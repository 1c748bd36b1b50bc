import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ReversalScope } from '#libs/contracts';
import type { Micros } from '#libs/platform';
import { BIGINT_COLUMN } from '../pricing/micros-column.js';
import type { ProcessorName } from '../processors/payment-processor.js';

export type ReversalCause = 'refund' | 'dispute';
/** The state of a reversal. `requested`: the credits are blocked. `final`: they are revoked. `undone`: neither. */
export type ReversalState = 'requested' | 'final' | 'undone';

@Entity('reversals')
export class Reversal {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'account_id' })
  accountId: string;

  @Column('uuid', { name: 'payment_id' })
  paymentId: string;

  @Column('text')
  processor: ProcessorName;

  @Column('text')
  cause: ReversalCause;

  /** The reversal's id at the processor; null for a refund requested here until the processor has confirmed it. */
  @Column('text', { name: 'external_id', nullable: true })
  externalId: string | null;

  /** The number of the attempt, from 1. A reopened dispute or a retried refund starts the next attempt. */
  @Column('integer')
  attempt: number;

  @Column('text')
  state: ReversalState;

  @Column('text')
  scope: ReversalScope;

  /** The start of the refunded part of the period; only for `remaining` refunds. */
  @Column('timestamptz', { name: 'starts_at', nullable: true })
  startsAt: Date | null;

  @Column('bigint', { name: 'amount_micros', transformer: BIGINT_COLUMN })
  amountMicros: Micros;

  /** The reason for the refund; null unless the refund was started here. */
  @Column('text', { nullable: true })
  reason: string | null;

  @Column('uuid', { name: 'retry_of', nullable: true })
  retryOf: string | null;

  /** When a failed refund is retried; null if it is not retried automatically. */
  @Column('timestamptz', { name: 'retry_at', nullable: true })
  retryAt: Date | null;

  /** When a failed refund was closed, because another refund replaced it or an operator dismissed it. */
  @Column('timestamptz', { name: 'closed_at', nullable: true })
  closedAt: Date | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt: Date;
}
