import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('idempotency')
export class KeptAnswer {
  @PrimaryColumn('uuid', { name: 'account_id' })
  accountId: string;

  @PrimaryColumn('text')
  key: string;

  @Column('text')
  route: string;

  @Column('bytea', { name: 'body_hash' })
  bodyHash: Buffer;

  @Column('jsonb')
  answer: object;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;
}
