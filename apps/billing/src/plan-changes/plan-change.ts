import { createHash } from 'node:crypto';
import { CATALOGUE_VERSION, type SubscriptionPlan, planOfSku, unitMicrosIn } from '#libs/contracts';
import { addMonths, shareOfMoney } from '#libs/platform';
import { withTax } from '../tax/tax-rates.js';
import type { ChangeRequest, PlanRef } from '../processors/payment-processor.js';
import type { Subscription } from '../subscriptions/subscription.entity.js';

export interface PlannedUnits {
  plan: SubscriptionPlan;
  quantity: number;
}

/**
 * Decides when a change takes effect. A change that keeps the interval and raises the price of all units together is an
 * upgrade, which takes effect now and is prorated. Any other change waits for the end of the period. Returns undefined
 * if nothing would change.
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

/**
 * Returns a plan in the form that processors need.
 * @param catalogueVersion the version of the catalogue whose price applies: by default today's, as for a new purchase.
 */
export function planRefOf(
  plan: SubscriptionPlan,
  taxPpm: number,
  catalogueVersion = CATALOGUE_VERSION,
): PlanRef {
  const { sku, interval, name } = plan;
  const unitMicros = withTax(BigInt(unitMicrosIn(catalogueVersion, plan)), taxPpm);
  return { sku, catalogueVersion, interval, name, unitMicros, taxPpm };
}

/**
 * Returns the request to change a subscription to a plan.
 * @param catalogueVersion as for `planRefOf`.
 */
export function changeOf(
  { externalId, currency, taxPpm }: Subscription,
  { plan, quantity }: PlannedUnits,
  catalogueVersion?: string,
): ChangeRequest {
  const ref = planRefOf(plan, taxPpm, catalogueVersion);
  return { subscriptionId: externalId, plan: ref, quantity, currency };
}

/**
 * Returns the idempotency key of a change. The same request with the same agreed time has the same key, however often
 * it is sent. The client's own key, if any, is part of the key, so that a dropped change can be requested again. PayPal
 * accepts at most 108 characters.
 */
export function changeIdOf(
  { id }: Pick<Subscription, 'id'>,
  { plan, quantity }: ChangeRequest,
  from: Date,
  key?: string,
): string {
  const wish = `${id}:${plan.sku}:${quantity}:${from.getTime()}`;
  if (key === undefined) return wish;
  return `${id}:${createHash('sha256').update(`${wish}:${key}`).digest('base64url')}`;
}

interface Running {
  sku: string;
  quantity: number;
  catalogueVersion: string;
  taxPpm: number;
  periodStart: Date;
  periodEnd: Date;
}

/**
 * Returns the credits that an upgrade adds for the rest of the current month, as entitlement computes them: the share
 * of the difference, rounded down. If the rest of the period costs as much as the whole period, rounded to cents, the
 * upgrade adds the whole difference (`../bills/bill-lines.ts`). The months of a yearly plan are counted from the start
 * of its period.
 */
export function creditsAtOnce(
  running: Running,
  wanted: Pick<Running, 'sku' | 'quantity'>,
  from: Date,
): number {
  const more = monthlyCreditsOf(wanted) - monthlyCreditsOf(running);
  if (more <= 0) return 0;
  const { start, end } = monthAt(running, from);
  const bought = { ...wanted, catalogueVersion: CATALOGUE_VERSION };
  const isWhole = [running, bought].every((plan) => isWholePrice(running, plan, from));
  const counted = isWhole ? start : from;
  const [part, whole] = [end.getTime() - counted.getTime(), end.getTime() - start.getTime()];
  return Number((BigInt(more) * BigInt(part)) / BigInt(whole));
}

function isWholePrice(
  { taxPpm, periodStart, periodEnd }: Running,
  { sku, quantity, catalogueVersion }: Pick<Running, 'sku' | 'quantity' | 'catalogueVersion'>,
  from: Date,
): boolean {
  const plan = planOfSku(sku);
  const unitMicros = plan ? unitMicrosIn(catalogueVersion, plan) : 0;
  const price = withTax(BigInt(unitMicros), taxPpm) * BigInt(quantity);
  const part = BigInt(periodEnd.getTime() - from.getTime());
  return shareOfMoney(price, part, BigInt(periodEnd.getTime() - periodStart.getTime())) === price;
}

const monthlyCreditsOf = ({ sku, quantity }: Pick<Running, 'sku' | 'quantity'>) =>
  (planOfSku(sku)?.monthlyCredits ?? 0) * quantity;

function monthAt({ sku, periodStart, periodEnd }: Running, at: Date): { start: Date; end: Date } {
  if (planOfSku(sku)?.interval !== 'year') return { start: periodStart, end: periodEnd };
  let index = 0;
  while (addMonths(periodStart, index + 1) <= at) index += 1;
  return { start: addMonths(periodStart, index), end: addMonths(periodStart, index + 1) };
}
