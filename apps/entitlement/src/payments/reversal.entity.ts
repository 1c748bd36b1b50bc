import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An announcement of a refund or dispute. The request and the final state are separate announcements. */
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
