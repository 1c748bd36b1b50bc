import { SubscriptionChanged, planOfSku, rightsOf } from '#libs/contracts';
import { type PaidPlan, worthOf } from '../bills/paid-time.js';
import type { Subscription } from './subscription.entity.js';

/**
 * Returns a subscription in its published form: the processor's state, and the rights that were
 * paid for.
 * @throws Error if the catalogue lacks the plan.
 */
export function announced(row: Subscription): SubscriptionChanged {
  const { sku, quantity } = rightsPlan(row);
  const plan = planOfSku(sku);
  if (!plan) throw new Error(`${sku} is not sold`);
  const paidThrough = laterOf(row.paidThrough, row.heldThrough);
  return {
    subscriptionId: row.id,
    line: row.line,
    state: row.state,
    sku,
    quantity,
    interval: row.interval,
    periodStart: row.periodStart.toISOString(),
    periodEnd: row.periodEnd.toISOString(),
    ...(paidThrough && { paidThrough: paidThrough.toISOString() }),
    ...(row.cancelAt && { cancelAt: row.cancelAt.toISOString() }),
    ...rightsOf(plan, quantity),
    catalogueVersion: row.catalogueVersion,
  };
}

/** Returns the event that ends a subscription that was announced before it turned out to be the second of its line. */
export const announcedEnd = (row: Subscription): SubscriptionChanged => {
  return { ...announced(row), state: 'expired' };
};

/** Whether the row is new and has therefore never been announced. */
export const isBegun = ({ createdAt, updatedAt }: Subscription) =>
  createdAt.getTime() === updatedAt.getTime();

export function isNews(current: Subscription, next: Subscription): boolean {
  return isBegun(current) || JSON.stringify(announced(current)) !== JSON.stringify(announced(next));
}

/**
 * Returns the plan whose rights the subscription gives. Normally, this is the plan that the processor bills, as far as
 * it is paid. While the payment for the period is overdue, it is the last paid plan, without upgrades that were paid
 * for less time than the grace period. While an unreadable paid bill waits for an operator, it is the plan that the
 * bill would have granted.
 */
function rightsPlan(row: Subscription): PaidPlan {
  const billed = { sku: row.sku, quantity: row.quantity };
  const { paidSku, paidQuantity, graceSku, graceQuantity } = row;
  const isHeld =
    row.heldThrough !== null && laterOf(row.paidThrough, row.heldThrough) !== row.paidThrough;
  if (paidSku === null || graceSku === null || isHeld) return billed;
  // The next period has already been paid, perhaps for a lower plan.
  if (row.paidThrough !== null && row.paidThrough > row.periodEnd) return billed;
  const isOverdue =
    row.state === 'past_due' && (row.paidThrough ?? row.periodStart) < row.periodEnd;
  if (isOverdue) return { sku: graceSku, quantity: graceQuantity ?? 1 };
  const paid = { sku: paidSku, quantity: paidQuantity ?? 1 };
  return worthOf(paid) < worthOf(billed) ? paid : billed;
}

const laterOf = (a: Date | null, b: Date | null) => (a === null || (b !== null && b > a) ? b : a);
