import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('second_factors')
export class SecondFactor {
  @PrimaryColumn('uuid', { name: 'person_id' })
  personId: string;

  @Column('uuid', { name: 'account_id' })
  accountId: string;

  /** Encrypted, in base64. */
  @Column('bytea')
  secret: Buffer;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  /** Null until a first code proves that the app has the secret. */
  @Column('timestamptz', { name: 'confirmed_at', nullable: true })
  confirmedAt: Date | null;

  /** The step of the last accepted code. Codes of this step and of earlier ones are not accepted again. */
  @Column('integer', { name: 'last_step' })
  lastStep: number;
}
