import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('sessions')
export class Session {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'account_id' })
  accountId: string;

  @Column('uuid', { name: 'person_id' })
  personId: string;

  /** SHA-256 of the token, which has 256 bits of entropy (S25). */
  @Column('bytea', { name: 'token_hash' })
  tokenHash: Buffer;

  /** The encrypted `[address, userAgent]`. */
  @Column('bytea')
  origin: Buffer;

  @Column('bytea', { name: 'network_hash' })
  networkHash: Buffer;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  @Column('timestamptz', { name: 'last_seen_at' })
  lastSeenAt: Date;

  /** When the owner was last verified: at the log-in, or later by entering the password again. */
  @Column('timestamptz', { name: 'authenticated_at' })
  authenticatedAt: Date;

  @Column('timestamptz', { name: 'ended_at', nullable: true })
  endedAt: Date | null;
}
