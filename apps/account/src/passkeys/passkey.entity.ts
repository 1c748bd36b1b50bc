import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('passkeys')
export class Passkey {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'account_id' })
  accountId: string;

  @Column('uuid', { name: 'person_id' })
  personId: string;

  @Column('bytea', { name: 'credential_id' })
  credentialId: Buffer;

  /** The public key in COSE format (RFC 9052). */
  @Column('bytea', { name: 'public_key' })
  publicKey: Buffer;

  /** The signature counter, in decimal; always 0 if the authenticator does not count. */
  @Column('bigint')
  counter: string;

  /** The name given by the owner, encrypted. */
  @Column('bytea')
  name: Buffer;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  /** The time of the last log-in; null before the first log-in. */
  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt: Date | null;
}
