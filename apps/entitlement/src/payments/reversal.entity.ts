import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One announcement of a refund or dispute. Its request and its final state are separate announcements. */
@Entity('reversals')
export class Reversal {
  @PrimaryColumn('uuid', { name: 'reversal_id' })
  id: string;

  @PrimaryColumn('text')
  phase: 'requested' | 'final';

  @Column('uuid', { name: 'account_id' })
  accountId: string;

  @Column('uuid', { name: 'payment_id' })
  paymentId: string;

  @Column('text')
  cause: 'refund' | 'dispute';
}
