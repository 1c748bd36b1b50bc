import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('people')
export class Person {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'account_id' })
  accountId: string;

  /** The peppered hash of the address in lower case; null after the erasure. */
  @Column('bytea', { name: 'address_hash', nullable: true })
  addressHash: Buffer | null;

  /** The encrypted `PersonDetails`. */
  @Column('bytea', { nullable: true })
  details: Buffer | null;

  @Column('text', { name: 'password_hash', nullable: true })
  passwordHash: string | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;
}
