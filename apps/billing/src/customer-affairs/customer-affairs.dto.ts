import { IsString, Length } from 'class-validator';

export class ResendReceiptRequest {
  /** The number of an invoice, a credit note or a debit note. */
  @IsString()
  @Length(1, 40)
  number: string;
}
