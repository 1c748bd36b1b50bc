import {
  OPERATIONS,
  type Operation,
  SUBSCRIPTION_PLANS,
  type SubscriptionPlan,
  TIERS,
  maxCreditsEach,
  packagePriceMicros,
} from '#libs/contracts';

const STEP = 1_000;

/** A package on sale. */
export interface SoldPackage {
  credits: number;
  /** Millionths of a dollar, without tax. */
  micros: number;
}

/** The price of a number of answers, and the cheapest ways to pay for them. */
export interface Calculation {
  operation: Operation;
  /** Number of answers, items or pages. */
  count: number;
  /** The price in the most expensive mode. */
  credits: number;
  /** The smallest package with enough credits; undefined if none is large enough. */
  package?: SoldPackage;
  /** The smallest plans that grant enough credits every month, monthly and yearly. */
  plans: readonly SubscriptionPlan[];
}

/** Every package on sale, ascending. */
export const PACKAGES_SOLD: readonly SoldPackage[] = packagesSold();

/** Operations that cost credits, in the order of the table. */
export const PRICED_OPERATIONS: readonly Operation[] = OPERATIONS.filter(
  ({ price, access }) => price.per !== 'free' && access.kind === 'key',
);

/** @returns undefined for an operation that is free or does not exist. */
export function calculate(name: string, count: number): Calculation | undefined {
  const operation = PRICED_OPERATIONS.find((one) => one.name === name);
  if (operation === undefined || operation.price.per === 'free') return undefined;
  const credits = count * maxCreditsEach(operation.price.credits);
  return {
    operation,
    count,
    credits,
    package: PACKAGES_SOLD.find((sold) => sold.credits >= credits),
    plans: (['month', 'year'] as const).flatMap((interval) => smallestPlan(credits, interval)),
  };
}

function smallestPlan(credits: number, interval: SubscriptionPlan['interval']): SubscriptionPlan[] {
  const plan = SUBSCRIPTION_PLANS.find(
    (one) => one.line === 'api' && one.interval === interval && one.monthlyCredits >= credits,
  );
  return plan ? [plan] : [];
}

function packagesSold(): SoldPackage[] {
  const sold = [];
  const largest = TIERS.at(-1)!.credits;
  for (let credits = TIERS[0].credits; credits <= largest; credits += STEP) {
    const micros = packagePriceMicros(credits);
    if (micros !== undefined) sold.push({ credits, micros });
  }
  return sold;
}
