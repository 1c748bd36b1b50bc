import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { KeyEnvironment, RevocationCause, Scope } from '#libs/contracts';

@Entity('api_keys')
export class ApiKey {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'account_id' })
  accountId: string;

  @Column('text')
  environment: KeyEnvironment;

  @Column('bytea', { name: 'key_hash' })
  keyHash: Buffer;

  @Column('text', { name: 'last_four' })
  lastFour: string;

  @Column('text')
  name: string;

  @Column('text', { array: true })
  scopes: Scope[];

  /** Addresses or CIDR blocks; empty allows every address. */
  @Column('text', { name: 'allowed_addresses', array: true })
  allowedAddresses: string[];

  /** The maximum credits per UTC day. */
  @Column('integer', { name: 'daily_credit_cap', nullable: true })
  dailyCreditCap: number | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  /** The key whose age decides the rank: the first key in the chain of rotations. */
  @Column('uuid', { name: 'ranks_as' })
  ranksAs: string;

  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt: Date | null;

  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt: Date | null;

  /** The key that replaced this key in a rotation or a reissue. */
  @Column('uuid', { name: 'replaced_by', nullable: true })
  replacedBy: string | null;

  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt: Date | null;

  @Column('text', { name: 'revoked_because', nullable: true })
  revokedBecause: RevocationCause | null;

  /** Whether the key is neither revoked nor replaced; the database derives this from `revoked_at` and `replaced_by`. */
  @Column({ type: 'boolean', name: 'is_current', insert: false, update: false })
  isCurrent: boolean;
}
