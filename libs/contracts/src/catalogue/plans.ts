import { shareOfMoney } from '#libs/platform';
import type { MonitorSlots, RateLimits } from '../events/billing/subscription-changed.js';

/** The version of this price list. An order stores the version that determined its price. */
export const CATALOGUE_VERSION = '2026-11';

export const TRIAL_CREDITS = 500;

/** A tier of packages (one-time) and API plans (monthly, yearly). Prices are in millionths of a dollar. */
export interface Tier {
  name: string;
  credits: number;
  packageMicros: number;
  monthlyMicros: number;
  yearlyMicros: number;
  limits: RateLimits;
  monitors: MonitorSlots;
  keys: number;
}

const DOLLAR = 1_000_000;

function tier(
  name: string,
  credits: number,
  prices: [number, number, number],
  rights: number[],
): Tier {
  const [live, bulk, heavy, domain, brand, registrant, keys] = rights;
  return {
    name,
    credits,
    packageMicros: prices[0] * DOLLAR,
    monthlyMicros: prices[1] * DOLLAR,
    yearlyMicros: Math.round(prices[2] * DOLLAR),
    limits: { live, bulk, heavy },
    monitors: { domain, brand, registrant },
    keys,
  };
}

/** Rights of an account without purchases. */
export const TRIAL_RIGHTS = {
  limits: { live: 10, bulk: 2, heavy: 2 },
  monitors: { domain: 1, brand: 0, registrant: 0 },
  keys: 1,
} as const;

/**
 * The tiers in ascending order. The last array has the rights: requests per minute of the classes live, bulk and heavy;
 * domain, brand and registrant monitors; keys.
 */
export const TIERS: readonly Tier[] = [
  tier('5K', 5_000, [19, 10, 99.6], [20, 5, 3, 5, 1, 1, 2]),
  tier('15K', 15_000, [54, 27, 268.92], [40, 10, 5, 20, 2, 2, 3]),
  tier('50K', 50_000, [150, 75, 747], [80, 20, 10, 100, 5, 5, 5]),
  tier('150K', 150_000, [390, 195, 1_942.2], [150, 40, 20, 300, 10, 10, 10]),
  tier('450K', 450_000, [990, 495, 4_930.2], [300, 60, 30, 1_000, 25, 25, 10]),
  tier('1M', 1_000_000, [1_900, 950, 9_462], [500, 100, 50, 3_000, 50, 50, 20]),
  tier('3M', 3_000_000, [4_800, 2_400, 23_904], [1_000, 150, 80, 10_000, 100, 100, 20]),
];

export const RATE_LIMIT_UNIT = {
  limits: { live: 50, bulk: 12, heavy: 6 },
  monthlyMicros: 20 * DOLLAR,
  yearlyMicros: 199.2 * DOLLAR,
  unitsMax: 20,
} as const;

/**
 * Returns the tier whose rights a package of this many credits gives: the largest that it reaches; undefined if it
 * reaches none.
 */
export function tierOfCredits(credits: number): Tier | undefined {
  return TIERS.findLast((candidate) => candidate.credits <= credits);
}

/** Returns the tier named by a SKU or a subscription; undefined if it is no longer sold. */
export function tierNamed(name: string): Tier | undefined {
  return TIERS.find((candidate) => candidate.name === name);
}

const STEP_SMALL = 1_000;
const STEP_LARGE = 10_000;
const STEP_LARGE_ABOVE = 100_000;

/**
 * Returns the price of a package of `credits`, in millionths of a dollar. Prices are linear between the tiers and
 * rounded half up to the cent. All code that quotes or charges a price uses this function.
 * @returns undefined for an amount that is not sold (below 5,000, above 3,000,000, or between the steps).
 */
export function packagePriceMicros(credits: number): number | undefined {
  const step = credits > STEP_LARGE_ABOVE ? STEP_LARGE : STEP_SMALL;
  if (!Number.isInteger(credits) || credits % step !== 0) return undefined;
  const above = TIERS.findIndex((candidate) => candidate.credits >= credits);
  if (above === -1 || credits < TIERS[0].credits) return undefined;
  const high = TIERS[above];
  if (high.credits === credits) return high.packageMicros;
  const low = TIERS[above - 1];
  const range = BigInt(high.credits - low.credits);
  const [lowMicros, highMicros] = [BigInt(low.packageMicros), BigInt(high.packageMicros)];
  const beyond = BigInt(credits - low.credits);
  return Number(lowMicros + shareOfMoney(highMicros - lowMicros, beyond, range));
}
