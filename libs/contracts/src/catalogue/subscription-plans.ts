import { DAY_MS } from '#libs/platform';
import type { PaymentLineKind } from '../events/billing/payment-line.js';
import type { SubscriptionChanged } from '../events/billing/subscription-changed.js';
import type { PlanDataset } from './plan-datasets.js';
import { RATE_LIMIT_UNIT, TIERS } from './plans.js';

/** How long a subscription keeps its rights and credits after the paid period, if the next payment has not arrived. */
export const GRACE_MS = 7 * DAY_MS;

const DOLLAR = 1_000_000;
const CENT = 10_000;

export type SubscriptionLineName = SubscriptionChanged['line'];
export type BillingInterval = 'month' | 'year';

export interface SubscriptionPlan {
  /** For example `api-15K-month`. */
  sku: string;
  name: string;
  line: SubscriptionLineName;
  kind: Extract<PaymentLineKind, 'subscription' | 'domainer' | 'rate_limit'>;
  interval: BillingInterval;
  /** Whether customers can order the plan or change to it. If not, existing subscriptions continue. */
  isOffered: boolean;
  /** Price of one unit for one interval, in millionths of a dollar. */
  unitMicros: number;
  /**
   * The price of one unit for a month when billed monthly, even if this plan is billed yearly. The price orders the
   * plans of a line: a change to a higher price is an upgrade.
   */
  monthlyMicros: number;
  unitsMax: number;
  /** Credits per month; 0 for lines without credits. */
  monthlyCredits: number;
  rights: Pick<SubscriptionChanged, 'limits' | 'monitors' | 'keys' | 'datasets'>;
}

const NO_RIGHTS = {
  limits: { live: 0, bulk: 0, heavy: 0 },
  monitors: { domain: 0, brand: 0, registrant: 0 },
  keys: 0,
  datasets: [] as string[],
};

/** Monthly and yearly price in dollars, and the datasets whose files the plan gives access to. */
const DOMAINER_PLANS: readonly [
  sku: string,
  name: string,
  monthly: number,
  yearly: number,
  sets: PlanDataset[],
][] = [
  ['names', 'Names', 29, 288.84, ['names']],
  ['whois', 'WHOIS', 59, 587.64, ['names', 'whois']],
  ['cleaned-whois', 'Cleaned WHOIS', 59, 587.64, ['names', 'cleaned-whois']],
  ['dns', 'DNS', 39, 388.44, ['names', 'dns']],
  ['all', 'All', 99, 986.04, ['names', 'whois', 'cleaned-whois', 'dns']],
];

/** The SKUs that are no longer offered. `GET /v2.0/pricing` still lists the plans of every tier. */
const WITHDRAWN_SKUS: readonly string[] = [];

type Common = Omit<SubscriptionPlan, 'sku' | 'interval' | 'isOffered' | 'unitMicros'>;

function atBothIntervals(name: string, yearlyMicros: number, plan: Common): SubscriptionPlan[] {
  const prices = { month: plan.monthlyMicros, year: yearlyMicros };
  return (['month', 'year'] as const).map((interval) => {
    const sku = `${name}-${interval}`;
    const isOffered = !WITHDRAWN_SKUS.includes(sku);
    return { ...plan, sku, interval, isOffered, unitMicros: prices[interval] };
  });
}

/**
 * All plans that were ever sold. A plan never leaves this list: its subscriptions continue, and their payments,
 * invoices and refunds name it.
 */
export const SUBSCRIPTION_PLANS: readonly SubscriptionPlan[] = [
  ...TIERS.flatMap(({ name, credits, monthlyMicros, yearlyMicros, limits, monitors, keys }) =>
    atBothIntervals(`api-${name}`, yearlyMicros, {
      name: `API plan ${name}`,
      line: 'api',
      kind: 'subscription',
      monthlyMicros,
      unitsMax: 1,
      monthlyCredits: credits,
      rights: { limits, monitors, keys, datasets: [] },
    }),
  ),
  ...DOMAINER_PLANS.flatMap(([sku, name, monthly, yearly, datasets]) =>
    atBothIntervals(`domainer-${sku}`, Math.round((yearly * DOLLAR) / CENT) * CENT, {
      name: `Domainer ${name}`,
      line: 'domainer',
      kind: 'domainer',
      monthlyMicros: monthly * DOLLAR,
      unitsMax: 1,
      monthlyCredits: 0,
      rights: { ...NO_RIGHTS, datasets },
    }),
  ),
  ...atBothIntervals('rate-limit', RATE_LIMIT_UNIT.yearlyMicros, {
    name: 'Rate-limit add-on',
    line: 'rate_limit',
    kind: 'rate_limit',
    monthlyMicros: RATE_LIMIT_UNIT.monthlyMicros,
    unitsMax: RATE_LIMIT_UNIT.unitsMax,
    monthlyCredits: 0,
    rights: { ...NO_RIGHTS, limits: RATE_LIMIT_UNIT.limits },
  }),
];

/** Returns the plans that can be ordered. */
export const offeredPlans = (): SubscriptionPlan[] =>
  SUBSCRIPTION_PLANS.filter(({ isOffered }) => isOffered);

/** Returns the plan of a SKU, even if it is no longer offered; undefined if the SKU was never sold. */
export function planOfSku(sku: string): SubscriptionPlan | undefined {
  return SUBSCRIPTION_PLANS.find((plan) => plan.sku === sku);
}

/**
 * The unit prices of earlier versions of the catalogue that differ from today's, in millionths of a dollar, by version
 * and SKU. When a price changes, `CATALOGUE_VERSION` changes with it and the former price is added here: a subscription
 * keeps the price at which it was bought, and a bill with any other price is set aside.
 */
export const FORMER_UNIT_MICROS: Record<string, Readonly<Record<string, number>>> = {};

/** Returns the price of one unit of a plan for one interval in a version of the catalogue, in millionths of a dollar. */
export function unitMicrosIn(
  catalogueVersion: string,
  { sku, unitMicros }: SubscriptionPlan,
): number {
  return FORMER_UNIT_MICROS[catalogueVersion]?.[sku] ?? unitMicros;
}

/** Returns the rights that `quantity` units of a plan give. */
export function rightsOf(
  { rights }: SubscriptionPlan,
  quantity: number,
): SubscriptionPlan['rights'] {
  const { live, bulk, heavy } = rights.limits;
  return {
    ...rights,
    limits: { live: live * quantity, bulk: bulk * quantity, heavy: heavy * quantity },
  };
}
