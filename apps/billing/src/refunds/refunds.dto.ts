import { IsIn, IsOptional, IsString, IsUUID, Length, Matches } from 'class-validator';
import {
  IsInstant,
  type PaymentAnswer,
  type RefundAnswer,
  type ReversalScope,
} from '#libs/contracts';
import type { StoredPaymentLine } from '../payments/payment-line.entity.js';
import type { Payment } from '../payments/payment.entity.js';
import type { Reversal } from '../payments/reversal.entity.js';

/** What an operator asks for. The same `refundId` counts once. */
export class RefundRequest {
  @IsUUID()
  refundId: string;

  @IsUUID()
  paymentId: string;

  /** `remaining`: all of the rest from `from`; what was used before stays paid. */
  @IsIn(['whole', 'remaining'])
  scope: ReversalScope;

  /** Of a `whole` refund: millionths, whole cents; all that is left without it. */
  @IsOptional()
  @Matches(/^[1-9][0-9]{0,13}0{4}$/)
  amountMicros?: string;

  /** Of a `remaining` refund; now without it. */
  @IsOptional()
  @IsInstant()
  from?: string;

  @IsString()
  @Length(1, 500)
  reason: string;
}

export function toRefundAnswer(row: Reversal): RefundAnswer {
  return {
    refundId: row.id,
    paymentId: row.paymentId,
    state: row.state,
    scope: row.scope,
    amountMicros: row.amountMicros.toString(),
    ...(row.startsAt && { from: row.startsAt.toISOString() }),
  };
}

export function toPaymentAnswer(
  payment: Payment,
  lines: readonly StoredPaymentLine[],
  reversals: readonly Reversal[],
): PaymentAnswer {
  return {
    paymentId: payment.id,
    processor: payment.processor,
    externalId: payment.externalId,
    amountMicros: payment.amountMicros.toString(),
    currency: payment.currency,
    confirmedAt: payment.confirmedAt.toISOString(),
    lines: lines.map(({ id, kind, sku, quantity }) => ({ lineId: id, kind, sku, quantity })),
    reversals: reversals.map((row) => ({ ...toRefundAnswer(row), cause: row.cause })),
  };
}
