import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('billing_details')
export class BillingDetails {
  @PrimaryColumn('uuid', { name: 'account_id' })
  accountId: string;

  /** The encrypted `PutBillingDetailsRequest`. */
  @Column('bytea')
  details: Buffer;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt: Date;
}
