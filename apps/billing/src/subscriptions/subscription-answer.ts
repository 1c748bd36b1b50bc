import {
  type PendingChange,
  type SubscriptionAnswer,
  planOfSku,
  unitMicrosIn,
} from '#libs/contracts';
import { taxOn } from '../tax/tax-rates.js';
import type { Subscription } from './subscription.entity.js';
import { unpaidAnswer } from './unpaid-change.js';

export function toSubscriptionAnswer(row: Subscription, now: Date): SubscriptionAnswer {
  const plan = planOfSku(row.sku);
  const netMicros = BigInt(plan ? unitMicrosIn(row.catalogueVersion, plan) : 0);
  const taxMicros = taxOn(netMicros, row.taxPpm);
  const ofAllUnits = (micros: bigint) => (micros * BigInt(row.quantity)).toString();
  return {
    id: row.id,
    line: row.line,
    state: row.state,
    sku: row.sku,
    quantity: row.quantity,
    interval: row.interval,
    amount_micros: ofAllUnits(netMicros + taxMicros),
    tax_micros: ofAllUnits(taxMicros),
    currency: row.currency,
    processor: row.processor,
    period_start: row.periodStart.toISOString(),
    period_end: row.periodEnd.toISOString(),
    paid_through: row.paidThrough?.toISOString() ?? null,
    cancel_at: row.cancelAt?.toISOString() ?? null,
    pending_change: pendingChangeOf(row),
    unpaid_change: unpaidAnswer(row, now),
    is_current: row.isCurrent,
  };
}

/** Returns the change that takes effect at the end of the period; null if none is planned. */
export function pendingChangeOf({
  pendingSku: sku,
  pendingQuantity: quantity,
  periodEnd,
}: Subscription): PendingChange | null {
  return sku === null ? null : { sku, quantity: quantity ?? 1, at: periodEnd.toISOString() };
}
