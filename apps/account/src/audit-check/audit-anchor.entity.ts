import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('audit_anchors')
export class AuditAnchor {
  @PrimaryColumn('bigint')
  number: string;

  @Column('timestamptz', { name: 'taken_at' })
  takenAt: Date;

  @Column('bytea')
  hash: Buffer;
}

@Entity('audit_anchored_heads')
export class AnchoredHead {
  @PrimaryColumn('uuid')
  chain: string;

  @PrimaryColumn('bigint')
  position: string;

  @Column('bytea')
  hash: Buffer;

  @Column('bigint')
  anchor: string;
}
