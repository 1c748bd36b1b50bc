import { isDeepStrictEqual } from 'node:util';
import type { PaymentAnswer, RefundAnswer, ReversalScope } from '#libs/contracts';
import { paidTimeOf } from '../bills/paid-time.js';
import type { StoredPaymentLine } from '../payment-records/payment-line.entity.js';
import type { Payment } from '../payment-records/payment.entity.js';
import type { Reversal } from '../payment-records/reversal.entity.js';
import type { SubscriptionPayment } from '../payments/subscription-payment.js';
import { takenCredits } from '../payments/taken-credits.js';

/** The items that a payment paid for. */
export interface PaidItems {
  lines: readonly StoredPaymentLine[];
  /** All paid lines of the payment's subscription; empty if the payment was for none. */
  stretches: readonly SubscriptionPayment[];
}

export function toRefundAnswer(
  { isAnnounced }: Pick<Payment, 'isAnnounced'>,
  row: Reversal,
  reversals: readonly Reversal[],
  { lines, stretches }: PaidItems,
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
    ...planEffect(row, reversals, stretches),
    ...(row.startsAt && { from: row.startsAt.toISOString() }),
    ...(row.retryAt && { retryAt: row.retryAt.toISOString() }),
  };
}

export function toPaymentAnswer(
  payment: Payment,
  items: PaidItems,
  reversals: readonly Reversal[],
): PaymentAnswer {
  return {
    paymentId: payment.id,
    processor: payment.processor,
    externalId: payment.externalId,
    amountMicros: payment.amountMicros.toString(),
    currency: payment.currency,
    confirmedAt: payment.confirmedAt.toISOString(),
    lines: items.lines.map(({ id, kind, sku, quantity }) => ({ lineId: id, kind, sku, quantity })),
    reversals: reversals.map((row) => ({
      ...toRefundAnswer(payment, row, reversals, items),
      cause: row.cause,
    })),
  };
}

/** Returns how a payment's reversals affect the plan once they are final. */
function planEffect(
  { paymentId, state }: Reversal,
  reversals: readonly Reversal[],
  stretches: readonly SubscriptionPayment[],
): Pick<RefundAnswer, 'plan'> {
  if (state === 'undone' || stretches.every((one) => one.paymentId !== paymentId)) return {};
  const [before, after] = [[], reversals].map((rows) =>
    paidTimeOf(stretches.map((one) => (one.paymentId === paymentId ? without(one, rows) : one))),
  );
  if (after.isReversed) return { plan: 'ends' };
  return { plan: isDeepStrictEqual(before.plan, after.plan) ? 'stays' : 'set_back' };
}

/** Returns a paid line as if these reversals of its payment were final. */
function without(stretch: SubscriptionPayment, reversals: readonly Reversal[]) {
  const counting = reversals.filter(({ state }) => state !== 'undone');
  const sumOf = (wanted: ReversalScope) =>
    counting.reduce((sum, one) => (one.scope === wanted ? sum + one.amountMicros : sum), 0n);
  const starts = counting.flatMap(({ startsAt }) => startsAt ?? []);
  return {
    ...stretch,
    wholeMicros: sumOf('whole').toString(),
    restMicros: sumOf('remaining').toString(),
    keptUntil: starts.toSorted((a, b) => a.getTime() - b.getTime()).at(0) ?? null,
  };
}
