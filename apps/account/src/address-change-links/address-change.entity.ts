import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('address_changes')
export class AddressChange {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'account_id' })
  accountId: string;

  @Column('uuid', { name: 'person_id' })
  personId: string;

  @Column('bytea', { name: 'token_hash' })
  tokenHash: Buffer;

  /** The new address, encrypted. */
  @Column('bytea')
  address: Buffer;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt: Date;
}
