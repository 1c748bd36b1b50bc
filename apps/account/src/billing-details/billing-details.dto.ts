import { applyDecorators } from '@nestjs/common';
import { IsISO31661Alpha2, IsOptional, IsString, Length, Matches } from 'class-validator';
import type { BillingDetails } from '#libs/contracts';

/** One line of text: what is printed on an invoice has no control characters (S81). */
const IsLine = (lengthMax: number) =>
  applyDecorators(
    IsString(),
    Length(1, lengthMax),
    Matches(/^\P{C}*$/u, { message: 'must not contain control characters' }),
  );

export class PutBillingDetailsRequest implements BillingDetails {
  @IsOptional()
  @IsLine(150)
  organisation?: string;

  @IsOptional()
  @IsLine(30)
  tax_id?: string;

  @IsLine(150)
  address_line1: string;

  @IsOptional()
  @IsLine(150)
  address_line2?: string;

  @IsLine(100)
  city: string;

  @IsOptional()
  @IsLine(100)
  region?: string;

  @IsOptional()
  @IsLine(20)
  postal_code?: string;

  /** ISO 3166-1 alpha-2. */
  @IsISO31661Alpha2()
  @Matches(/^[A-Z]{2}$/, { message: 'country must be two capital letters' })
  country: string;

  /** The customer's own order number, printed on invoices. */
  @IsOptional()
  @IsLine(50)
  purchase_order?: string;
}

export interface BillingDetailsResponse {
  details: PutBillingDetailsRequest | null;
}
