import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { AccountState } from '#libs/contracts';

@Entity('accounts')
export class Account {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  state: AccountState;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  @Column('timestamptz', { name: 'deleted_at', nullable: true })
  deletedAt: Date | null;

  @Column('timestamptz', { name: 'restore_until', nullable: true })
  restoreUntil: Date | null;

  @Column('timestamptz', { name: 'erased_at', nullable: true })
  erasedAt: Date | null;

  /**
   * When the owner last set a new password with an e-mailed link. Earlier actions may have been a stranger's, so limits
   * ignore them.
   */
  @Column('timestamptz', { name: 'taken_back_at', nullable: true })
  takenBackAt: Date | null;

  /** When an operator suspended the account; a suspension is independent of the state. */
  @Column('timestamptz', { name: 'suspended_at', nullable: true })
  suspendedAt: Date | null;

  @Column('text', { name: 'suspended_because', nullable: true })
  suspendedBecause: string | null;
}
