import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('passkeys')
export class Passkey {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'account_id' })
  accountId: string;

  @Column('uuid', { name: 'person_id' })
  personId: string;

  /** The authenticator's id for it. */
  @Column('bytea', { name: 'credential_id' })
  credentialId: Buffer;

  /** In COSE form (RFC 9052). */
  @Column('bytea', { name: 'public_key' })
  publicKey: Buffer;

  /** Uses by its own count, in decimal; 0 for ever where it does not count. */
  @Column('bigint')
  counter: string;

  /** Encrypted: what its owner calls it. */
  @Column('bytea')
  name: Buffer;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  /** Null before its first log-in. */
  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt: Date | null;
}
