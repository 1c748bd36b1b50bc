import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsIn,
  IsInt,
  IsISO8601,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Matches,
  Min,
  ValidateNested,
} from 'class-validator';
import { EventType } from '../event-type.js';

const PAYMENT_LINE_KINDS = [
  'package',
  'subscription',
  'subscription_upgrade',
  'domainer',
  'rate_limit',
] as const;
export type PaymentLineKind = (typeof PAYMENT_LINE_KINDS)[number];

export class PaymentLine {
  @IsUUID()
  lineId: string;

  @IsIn(PAYMENT_LINE_KINDS)
  kind: PaymentLineKind;

  @IsString()
  @Length(1, 100)
  sku: string;

  @IsInt()
  @Min(1)
  quantity: number;

  /** Decimal string; only on lines of kind `package` and `subscription_upgrade`. */
  @IsOptional()
  @Matches(/^[1-9][0-9]{0,17}$/)
  credits?: string;

  /** Catalogue tier of a package, for example `50K`. */
  @IsOptional()
  @IsString()
  @Length(1, 20)
  tier?: string;

  @IsOptional()
  @IsUUID()
  subscriptionId?: string;

  @IsOptional()
  @IsISO8601()
  periodStart?: string;

  /** End of the slice that an upgrade's credits belong to. */
  @IsOptional()
  @IsISO8601()
  sliceEnd?: string;
}

/** Money arrived for an order. */
@EventType({ type: 'billing.payment-confirmed', version: 1, kind: 'delta' })
export class PaymentConfirmed {
  @IsUUID()
  paymentId: string;

  @IsUUID()
  orderId: string;

  /** Millionths of the currency unit, decimal string. */
  @Matches(/^[0-9]{1,18}$/)
  amountMicros: string;

  /** ISO 4217. */
  @Matches(/^[A-Z]{3}$/)
  currency: string;

  @IsString()
  @Length(1, 20)
  catalogueVersion: string;

  @ValidateNested({ each: true })
  @Type(() => PaymentLine)
  @ArrayMinSize(1)
  @ArrayMaxSize(50)
  lines: PaymentLine[];
}
