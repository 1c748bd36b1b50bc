import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('second_factors')
export class SecondFactor {
  @PrimaryColumn('uuid', { name: 'person_id' })
  personId: string;

  @Column('uuid', { name: 'account_id' })
  accountId: string;

  /** The secret in base64, encrypted. */
  @Column('bytea')
  secret: Buffer;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  /** When a first code proved that the app has the secret; null before that. */
  @Column('timestamptz', { name: 'confirmed_at', nullable: true })
  confirmedAt: Date | null;

  /** The step of the last accepted code. Codes of this step and of earlier steps are not accepted again. */
  @Column('integer', { name: 'last_step' })
  lastStep: number;
}
