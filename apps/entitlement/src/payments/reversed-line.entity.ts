import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ReversalScope } from '#libs/contracts';

@Entity('reversed_lines')
export class ReversedLine {
  @PrimaryColumn('uuid', { name: 'reversal_id' })
  reversalId: string;

  @PrimaryColumn('text')
  phase: 'requested' | 'final';

  /** The id of the line, which may not have arrived yet. */
  @PrimaryColumn('uuid', { name: 'line_id' })
  lineId: string;

  @Column('uuid', { name: 'account_id' })
  accountId: string;

  @Column('bigint', { name: 'refunded_micros' })
  refundedMicros: string;

  @Column('bigint', { name: 'paid_micros' })
  paidMicros: string;

  @Column('text')
  scope: ReversalScope;

  /** Set only for the scope `remaining`. */
  @Column('timestamptz', { name: 'from_at', nullable: true })
  from: Date | null;
}
