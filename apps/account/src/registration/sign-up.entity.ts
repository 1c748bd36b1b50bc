import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('sign_ups')
export class SignUp {
  /** The id that the account gets once the address is confirmed. */
  @PrimaryColumn('uuid')
  id: string;

  @Column('bytea', { name: 'token_hash' })
  tokenHash: Buffer;

  @Column('bytea', { name: 'address_hash' })
  addressHash: Buffer;

  /** The encrypted `PersonDetails`. */
  @Column('bytea')
  details: Buffer;

  @Column('text', { name: 'password_hash' })
  passwordHash: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt: Date;
}
