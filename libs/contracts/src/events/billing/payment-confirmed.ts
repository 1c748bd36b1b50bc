import {
  ArrayMaxSize,
  ArrayMinSize,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Matches,
} from 'class-validator';
import { EventType } from '../event-type.js';
import { OneOf } from '../rules.js';
import { AnyPaymentLine, MICROS, PAYMENT_LINE_CLASSES, type PaymentLine } from './payment-line.js';

/** A payment arrived. Aggregate `payment:<id>`. Each line is published once; a redelivery is identical. */
@EventType({ type: 'billing.payment-confirmed', version: 1, kind: 'delta' })
export class PaymentConfirmed {
  @IsUUID()
  paymentId: string;

  /** Absent for a renewal, which has no order. */
  @IsOptional()
  @IsUUID()
  orderId?: string;

  /** The total amount paid, tax included: millionths of the currency unit, decimal string. */
  @Matches(MICROS)
  amountMicros: string;

  /** ISO 4217. */
  @Matches(/^[A-Z]{3}$/)
  currency: string;

  @IsString()
  @Length(1, 20)
  catalogueVersion: string;

  @OneOf('kind', PAYMENT_LINE_CLASSES, AnyPaymentLine)
  @ArrayMinSize(1)
  @ArrayMaxSize(50)
  lines: PaymentLine[];
}
