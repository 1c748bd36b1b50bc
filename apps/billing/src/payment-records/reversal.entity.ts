import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ReversalScope } from '#libs/contracts';
import type { Micros } from '#libs/platform';
import { BIGINT_COLUMN } from '../pricing/micros-column.js';
import type { ProcessorName } from '../processors/payment-processor.js';

export type ReversalCause = 'refund' | 'dispute';
/** `requested`: credits are kept from being spent; `final`: they are taken back; `undone`: neither. */
export type ReversalState = 'requested' | 'final' | 'undone';

/** One attempt to take back money of a payment. */
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

  /** Null for a refund that is asked for here, until the processor has said that it made it. */
  @Column('text', { name: 'external_id', nullable: true })
  externalId: string | null;

  /** From 1; a dispute that was won and is opened again begins the next, as does a refund that is asked for again. */
  @Column('integer')
  attempt: number;

  @Column('text')
  state: ReversalState;

  @Column('text')
  scope: ReversalScope;

  /** From when the rest is given back; only of a `remaining` one. */
  @Column('timestamptz', { name: 'starts_at', nullable: true })
  startsAt: Date | null;

  @Column('bigint', { name: 'amount_micros', transformer: BIGINT_COLUMN })
  amountMicros: Micros;

  /** Why it was refunded; null unless the refund was begun here. */
  @Column('text', { nullable: true })
  reason: string | null;

  /** The failed refund that this one asks for again. */
  @Column('uuid', { name: 'retry_of', nullable: true })
  retryOf: string | null;

  /** When a refund that failed is asked for again; null if never by itself. */
  @Column('timestamptz', { name: 'retry_at', nullable: true })
  retryAt: Date | null;

  /** When work on a failed refund ended, because another took its place or it was dismissed. */
  @Column('timestamptz', { name: 'closed_at', nullable: true })
  closedAt: Date | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt: Date;
}
