import { CATALOGUE_VERSION, type SubscriptionPlan } from '#libs/contracts';
import { withTax } from '../pricing/tax-rates.js';
import type { PlanRef } from '../processors/payment-processor.js';

/** A plan in a number of units. */
export interface PlannedUnits {
  plan: SubscriptionPlan;
  quantity: number;
}

/**
 * When a change takes effect. More of the same interval is an upgrade, now and prorated; less, and any change of
 * the interval, waits for the end of the period. Undefined where nothing would change.
 */
export function effectOfChange(
  from: PlannedUnits,
  to: PlannedUnits,
): 'now' | 'period_end' | undefined {
  if (from.plan.sku === to.plan.sku && from.quantity === to.quantity) return undefined;
  if (from.plan.interval !== to.plan.interval) return 'period_end';
  const worth = ({ plan, quantity }: PlannedUnits) => plan.monthlyMicros * quantity;
  return worth(to) > worth(from) ? 'now' : 'period_end';
}

/** A plan of today's catalogue as processors are told of it: a change is a purchase. */
export function planRefOf(
  { sku, interval, name, unitMicros }: SubscriptionPlan,
  taxPpm: number,
): PlanRef {
  return {
    sku,
    catalogueVersion: CATALOGUE_VERSION,
    interval,
    name,
    unitMicros: withTax(BigInt(unitMicros), taxPpm),
    taxPpm,
  };
}
