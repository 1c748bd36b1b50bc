import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('audit')
export class AuditEntry {
  /** The account in which the action happened, or `INSTALLATION`. */
  @PrimaryColumn('uuid')
  chain: string;

  /** The position within the chain, without gaps; the database returns bigint as text. */
  @PrimaryColumn('bigint')
  position: string;

  @Column('uuid')
  id: string;

  @Column('timestamptz', { name: 'occurred_at' })
  occurredAt: Date;

  /** The actor: `person:<id>`, `key:<id>`, `operator:<name>`, `anonymous` or `system`. */
  @Column('text')
  actor: string;

  @Column('text')
  action: string;

  @Column('text')
  object: string;

  @Column('bytea', { name: 'before_hash', nullable: true })
  beforeHash: Buffer | null;

  @Column('bytea', { name: 'after_hash', nullable: true })
  afterHash: Buffer | null;

  @Column('bytea', { nullable: true })
  origin: Buffer | null;

  @Column('text', { name: 'request_id' })
  requestId: string;

  @Column('bytea', { name: 'previous_hash' })
  previousHash: Buffer;

  @Column('bytea')
  hash: Buffer;
}
