import {
  OPERATIONS,
  type Operation,
  type SubscriptionPlan,
  TIERS,
  maxCreditsEach,
  offeredPlans,
  packagePriceMicros,
} from '#libs/contracts';

const STEP = 1_000;
const MONTHS_OF_A_YEAR = 12;

export interface SoldPackage {
  credits: number;
  /** The price in millionths of a dollar, without tax. */
  micros: number;
}

export interface Way {
  /** The plan; undefined for packages alone. */
  plan?: SubscriptionPlan;
  /** The packages, largest first; empty if the plan is enough. */
  packages: readonly SoldPackage[];
  /** The total price in millionths of a dollar, without tax. */
  micros: number;
}

export interface Calculation {
  operation: Operation;
  count: number;
  /** The price in the most expensive mode. */
  credits: number;
  /** The ways to pay for this number once, cheapest first: with one month of a plan, and with packages alone. */
  once: readonly Way[];
  /**
   * The ways to pay for this number in every month of a year, cheapest first. A plan is paid every month or once a
   * year.
   */
  yearly: readonly Way[];
}

/** Every package on sale, smallest first. */
export const PACKAGES_SOLD: readonly SoldPackage[] = packagesSold();

const LAST_PACKAGES: readonly SoldPackage[] = lastPackages();

export const PRICED_OPERATIONS: readonly Operation[] = OPERATIONS.filter(
  ({ price, access }) => price.per !== 'free' && access.kind === 'key',
);

/** Operations that are free themselves but start work that costs credits. */
export const CHARGED_LATER: readonly Operation[] = OPERATIONS.filter(
  ({ price, access }) => price.per === 'free' && price.later !== undefined && access.kind === 'key',
);

/**
 * Calculates what `count` answers of an operation cost, and the cheapest ways to pay for them. @returns undefined
 * unless the operation is in `PRICED_OPERATIONS`.
 */
export function calculate(name: string, count: number): Calculation | undefined {
  const operation = PRICED_OPERATIONS.find((one) => one.name === name);
  if (operation === undefined || operation.price.per === 'free') return undefined;
  const credits = count * maxCreditsEach(operation.price.credits);
  return {
    operation,
    count,
    credits,
    once: cheapestWays(credits, 1),
    yearly: cheapestWays(credits, MONTHS_OF_A_YEAR),
  };
}

/**
 * Returns the cheapest ways to buy `monthly` credits a month for these months: one without a plan and one with a plan.
 */
function cheapestWays(monthly: number, months: number): Way[] {
  const plans = offeredPlans().filter(
    ({ line, interval }) => line === 'api' && (interval === 'month' || months === MONTHS_OF_A_YEAR),
  );
  const withPlan = plans.map((plan): Way => {
    const packages = cheapestPackages(Math.max(0, monthly - plan.monthlyCredits) * months);
    const planMicros = plan.unitMicros * (plan.interval === 'month' ? months : 1);
    return { plan, packages, micros: planMicros + priceOf(packages) };
  });
  const packages = cheapestPackages(monthly * months);
  return [{ packages, micros: priceOf(packages) }, ...withPlan.toSorted(byPrice).slice(0, 1)].sort(
    byPrice,
  );
}

function cheapestPackages(credits: number): SoldPackage[] {
  const { credits: largest } = PACKAGES_SOLD.at(-1)!;
  const whole = Math.max(0, Math.floor(credits / largest) - 1);
  const packages = Array<SoldPackage>(whole).fill(PACKAGES_SOLD.at(-1)!);
  let place = Math.ceil((credits - whole * largest) / STEP);
  while (place > 0) {
    const sold = LAST_PACKAGES[place];
    packages.push(sold);
    place -= sold.credits / STEP;
  }
  return packages.sort((left, right) => right.credits - left.credits);
}

/**
 * Calculates one package of the cheapest combination with at least `n` steps of credits, for each `n` up to twice the
 * largest package. Above that, the largest package is always part of the cheapest combination, because larger packages
 * cost less per credit.
 */
function lastPackages(): SoldPackage[] {
  const sums = [0];
  const last: SoldPackage[] = [PACKAGES_SOLD[0]];
  const places = (2 * PACKAGES_SOLD.at(-1)!.credits) / STEP;
  for (let place = 1; place <= places; place += 1) {
    sums[place] = Infinity;
    for (const sold of PACKAGES_SOLD) {
      const micros = sold.micros + sums[Math.max(0, place - sold.credits / STEP)];
      if (micros >= sums[place]) continue;
      sums[place] = micros;
      last[place] = sold;
    }
  }
  return last;
}

const priceOf = (packages: readonly SoldPackage[]) =>
  packages.reduce((sum, { micros }) => sum + micros, 0);

const byPrice = (left: Way, right: Way) => left.micros - right.micros;

function packagesSold(): SoldPackage[] {
  const sold = [];
  const largest = TIERS.at(-1)!.credits;
  for (let credits = TIERS[0].credits; credits <= largest; credits += STEP) {
    const micros = packagePriceMicros(credits);
    if (micros !== undefined) sold.push({ credits, micros });
  }
  return sold;
}
