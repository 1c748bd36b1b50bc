import { type SubscriptionPlan, planOfSku, unitMicrosIn } from '#libs/contracts';
import type { Micros } from '#libs/platform';
import { taxOn, taxWithin, withTax } from '../tax/tax-rates.js';
import type { PaidLine, PaidStretch } from '../payments/payments.service.js';
import { worthOf } from './paid-time.js';
import type { BillLine, BillSnapshot } from '../processors/payment-processor.js';

/** Why a bill is implausible. Its payment is not stored, and an operator checks the bill. */
export interface UnfitBill {
  fault: string;
  /** Whether this is the bill of a change and arrived before the bill of its period. Such a bill is retried. */
  isEarly?: boolean;
}

/** The subscription of a bill. `periodStartAt` returns the start of the paid period that ends at `end`. */
export interface BilledSubscription {
  id: string;
  periodStartAt(end: Date): Date | undefined;
}

/**
 * Derives from the lines of a paid bill what the bill paid for. The amount paid may differ from the lines, because the
 * processor carries balances and small amounts from bill to bill. The bill of a new subscription or of a renewal pays
 * for the period that it names. The bill of a change pays for the rest of the running period, at the price difference
 * between the plans, no matter when the bill is paid. Each result depends only on the bill, so events may be repeated
 * and arrive in any order.
 */
export function paidLineOf(
  bill: BillSnapshot,
  subscription: BilledSubscription,
): PaidLine | UnfitBill {
  const { gained, left } = partsOf(bill);
  const plan = gained && planOfSku(gained.sku);
  if (!plan) return { fault: 'the bill names none of our plans' };
  if (bill.lines.length > 2) return { fault: 'the bill has lines that do not belong to a plan' };
  if (bill.reason === 'change') return changedLine(bill, subscription, { plan, gained, left });
  if (bill.reason === 'other' || left) return { fault: 'the bill is not for a period' };
  // A subscription keeps the price in the version of the catalogue from which it was chosen.
  if (gained.amountMicros !== priceOf(gained, plan))
    return { fault: 'the bill has a different price' };
  return lineOf(bill, plan, gained, {
    subscriptionId: subscription.id,
    interval: plan.interval,
    periodStart: gained.from,
    periodEnd: gained.to,
    from: gained.from,
    monthlyCredits: creditsOf(plan.monthlyCredits),
    isChange: false,
  });
}

/**
 * Returns the charged and the refunded part of a bill. In the last minutes of a period, one or both parts round to
 * zero. Only upgrades are billed within a period, so the charged part is that of the larger plan.
 */
function partsOf({ reason, lines }: BillSnapshot): { gained?: BillLine; left?: BillLine } {
  const isChange = reason === 'change' && lines.length === 2;
  if (isChange && lines.some(({ amountMicros }) => amountMicros === 0n)) {
    const [left, gained] = lines.toSorted((a, b) => worthOf(a) - worthOf(b));
    if (left.amountMicros <= 0n && gained.amountMicros >= 0n) return { gained, left };
  }
  return {
    gained: lines.find(({ amountMicros }) => amountMicros >= 0n),
    left: lines.find(({ amountMicros }) => amountMicros < 0n),
  };
}

function changedLine(
  bill: BillSnapshot,
  subscription: BilledSubscription,
  { plan, gained, left }: { plan: SubscriptionPlan; gained: BillLine; left?: BillLine },
): PaidLine | UnfitBill {
  const old = left && planOfSku(left.sku);
  if (!old || old.line !== plan.line) return { fault: 'the bill of a change names no old plan' };
  const periodStart = subscription.periodStartAt(gained.to);
  if (!periodStart) return { fault: 'the bill of a change is not in a paid period', isEarly: true };
  const added = plan.monthlyCredits - old.monthlyCredits;
  if (plan.line === 'api' && added <= 0) return { fault: 'the bill of a change adds nothing' };
  if (priceOfLines(bill) < 0n)
    return { fault: 'the bill of a change refunds more than it charges' };
  if (gained.from < periodStart) return { fault: 'the bill of a change begins before its period' };
  const line = lineOf(bill, plan, gained, {
    subscriptionId: subscription.id,
    interval: plan.interval,
    periodStart,
    periodEnd: gained.to,
    // Shortly after the start of the period, the share rounds up to the whole price, which grants all credits.
    from: isWholePrice(gained, plan) && isWholePrice(left, old) ? periodStart : gained.from,
    monthlyCredits: creditsOf(added),
    isChange: true,
  });
  return plan.line === 'api' ? { ...line, kind: 'subscription_upgrade' } : line;
}

const priceOfLines = ({ lines }: Pick<BillSnapshot, 'lines'>): Micros =>
  lines.reduce((sum, { amountMicros }) => sum + amountMicros, 0n);

function lineOf(
  bill: BillSnapshot,
  plan: SubscriptionPlan,
  { quantity, taxPpm, catalogueVersion }: BillLine,
  stretch: PaidStretch,
): PaidLine {
  const { kind, sku } = plan;
  const grossMicros = priceOfLines(bill);
  // The tax for a whole period is rounded per unit, as in the order and in the price.
  const taxMicros = stretch.isChange
    ? taxWithin(grossMicros, taxPpm)
    : taxOn(BigInt(unitMicrosIn(catalogueVersion, plan)), taxPpm) * BigInt(quantity);
  const amountMicros = grossMicros - taxMicros;
  return {
    kind,
    sku,
    quantity,
    amountMicros,
    taxMicros,
    taxPpm,
    credits: null,
    tier: null,
    stretch,
  };
}

const priceOf = (line: BillLine, plan: SubscriptionPlan): Micros =>
  withTax(BigInt(unitMicrosIn(line.catalogueVersion, plan)), line.taxPpm) * BigInt(line.quantity);

const isWholePrice = (line: BillLine, plan: SubscriptionPlan) =>
  line.amountMicros === priceOf(line, plan) || line.amountMicros === -priceOf(line, plan);

const creditsOf = (credits: number) => (credits > 0 ? BigInt(credits) : null);
