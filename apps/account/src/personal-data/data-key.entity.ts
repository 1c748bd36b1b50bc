import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('data_keys')
export class DataKey {
  @PrimaryColumn('uuid', { name: 'account_id' })
  accountId: string;

  /** The AES-256 key, wrapped with the operator's secret. */
  @Column('bytea', { name: 'wrapped_key' })
  wrappedKey: Buffer;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;
}
