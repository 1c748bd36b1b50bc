import type { PaymentAnswer, RefundAnswer } from '#libs/contracts';
import type { Micros } from '#libs/platform';
import type { StoredPaymentLine } from '../payment-records/payment-line.entity.js';
import type { Payment } from '../payment-records/payment.entity.js';
import type { Reversal } from '../payment-records/reversal.entity.js';
import { takenCredits } from '../payments/taken-credits.js';
import { grossOf } from '../pricing/purchased-line.entity.js';
import { leftOf } from './refund-amount.js';

export function toRefundAnswer(
  { isAnnounced, amountMicros }: Pick<Payment, 'isAnnounced' | 'amountMicros'>,
  row: Reversal,
  reversals: readonly Reversal[],
  lines: readonly StoredPaymentLine[],
): RefundAnswer {
  // A payment that was never announced granted no credits.
  const isTaken = isAnnounced && row.state !== 'undone';
  return {
    refundId: row.id,
    paymentId: row.paymentId,
    state: row.state,
    scope: row.scope,
    amountMicros: row.amountMicros.toString(),
    credits: isTaken ? takenCredits(row, reversals, lines).toString() : '0',
    ...planEffect(amountMicros, row, reversals, lines),
    ...(row.startsAt && { from: row.startsAt.toISOString() }),
    ...(row.retryAt && { retryAt: row.retryAt.toISOString() }),
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
    reversals: reversals.map((row) => ({
      ...toRefundAnswer(payment, row, reversals, lines),
      cause: row.cause,
    })),
  };
}

/** Returns how a refund affects the plan. `paidTimeOf` calculates the same effect once the refund is final. */
function planEffect(
  paymentMicros: Micros,
  row: Reversal,
  reversals: readonly Reversal[],
  lines: readonly StoredPaymentLine[],
): Pick<RefundAnswer, 'plan'> {
  const ofPlans = lines.filter(({ subscriptionId }) => subscriptionId !== null);
  if (ofPlans.length === 0 || row.state === 'undone') return {};
  const price = lines.reduce((sum, line) => sum + grossOf(line), 0n);
  const paid = paymentMicros < price ? paymentMicros : price;
  const isAll = row.scope === 'remaining' || leftOf(paid, reversals) === 0n;
  if (!isAll) return { plan: 'stays' };
  return { plan: ofPlans.every(({ isChange }) => isChange) ? 'set_back' : 'ends' };
}
