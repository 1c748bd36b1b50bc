import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('invoice_revisions')
export class InvoiceRevision {
  @PrimaryColumn('uuid', { name: 'invoice_id' })
  invoiceId: string;

  /** From 1. */
  @PrimaryColumn('integer')
  revision: number;

  @Column('uuid', { name: 'account_id' })
  accountId: string;

  /** The encrypted `Buyer | null`. */
  @Column('bytea')
  buyer: Buffer;

  /** Encrypted. */
  @Column('bytea')
  pdf: Buffer;

  /** The hash of the PDF before encryption. */
  @Column('bytea')
  sha256: Buffer;

  @Column('timestamptz', { name: 'printed_at' })
  printedAt: Date;
}
