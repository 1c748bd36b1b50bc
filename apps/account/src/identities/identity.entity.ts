import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('identities')
export class Identity {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'account_id' })
  accountId: string;

  @Column('uuid', { name: 'person_id' })
  personId: string;

  @Column('text')
  provider: string;

  /** The peppered hash of the provider and of the person's id at the provider. */
  @Column('bytea', { name: 'subject_hash' })
  subjectHash: Buffer;

  /** The person's address at the provider, encrypted. */
  @Column('bytea')
  details: Buffer;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  @Column('timestamptz', { name: 'last_used_at' })
  lastUsedAt: Date;
}
