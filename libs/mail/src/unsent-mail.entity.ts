import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An e-mail that has not been sent yet, or an abandoned one, whose content has been removed. */
@Entity('mail')
export class UnsentMail {
  @PrimaryColumn('uuid')
  id: string;

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

  /** Only senders of the last release read this column; `infinity` hides an e-mail from them. */
  @Column('timestamptz', { name: 'next_try_at' })
  nextTryAt: Date;

  @Column('text', { nullable: true })
  reason: string | null;
}
