import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('log_in_steps')
export class LogInStep {
  /** SHA-256 of the token, which has 256 bits of entropy. */
  @PrimaryColumn('bytea', { name: 'token_hash' })
  tokenHash: Buffer;

  @Column('text')
  kind: string;

  /** The account; null while the person is unknown. */
  @Column('uuid', { name: 'account_id', nullable: true })
  accountId: string | null;

  /** The data for the next step, encrypted. */
  @Column('bytea')
  content: Buffer;

  @Column('integer')
  tries: number;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt: Date;
}
