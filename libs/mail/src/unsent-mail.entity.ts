import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A mail that waits to be sent; without content once it was given up. */
@Entity('mail')
export class UnsentMail {
  @PrimaryColumn('uuid')
  id: string;

  /** The account whose mail it is. */
  @Column('uuid', { name: 'account_id', nullable: true })
  accountId: string | null;

  @Column('text', { nullable: true })
  recipient: string | null;

  @Column('text', { nullable: true })
  subject: string | null;

  @Column('text', { nullable: true })
  text: string | null;

  @Column('text', { nullable: true })
  html: string | null;

  @Column('text')
  state: 'waiting' | 'dead';

  @Column('integer')
  attempts: number;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  /** For senders of the last release alone: `infinity` keeps a mail out of their sight. */
  @Column('timestamptz', { name: 'next_try_at' })
  nextTryAt: Date;

  /** Why the last attempt failed. */
  @Column('text', { nullable: true })
  reason: string | null;
}
