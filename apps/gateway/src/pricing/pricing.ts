import {
  CATALOGUE_VERSION,
  OPERATIONS,
  type Operation,
  type PRICING_QUOTE,
  type PackageQuote,
  type PlanDataset,
  type PriceList,
  type PriceListOperation,
  RATE_LIMIT_UNIT,
  type SubscriptionPlan,
  TIERS,
  TRIAL_CREDITS,
  TRIAL_RIGHTS,
  type Tier,
  type ValuesOf,
  maxCreditsEach,
  offeredPlans,
  packagePriceMicros,
  tierOfCredits,
} from '#libs/contracts';
import { InvalidRequest } from '#libs/platform';

const CENT_MICROS = 10_000;

export function priceList(): PriceList {
  const { limits, monthlyMicros, yearlyMicros, unitsMax } = RATE_LIMIT_UNIT;
  return {
    status: true,
    catalogue_version: CATALOGUE_VERSION,
    currency: 'USD',
    trial: { credits: TRIAL_CREDITS, ...TRIAL_RIGHTS },
    tiers: TIERS.map(tierLine),
    rate_limit_unit: {
      limits,
      monthly_micros: monthlyMicros,
      yearly_micros: yearlyMicros,
      units_max: unitsMax,
    },
    domainer: offeredPlans().filter(isDomainer).map(domainerLine),
    operations: OPERATIONS.filter(({ access: { kind } }) => kind === 'key').map(operationLine),
  };
}

/** Returns the net price of a package. @throws InvalidRequest for a number of credits that is not sold. */
export function quotePackage({
  credits,
}: ValuesOf<(typeof PRICING_QUOTE)['parameters']>): PackageQuote {
  const netMicros = packagePriceMicros(credits);
  if (netMicros === undefined) {
    const message = 'must be a multiple of 1,000 or, above 100,000, a multiple of 10,000';
    throw new InvalidRequest([{ field: 'credits', message }]);
  }
  return {
    status: true,
    catalogue_version: CATALOGUE_VERSION,
    currency: 'USD',
    credits,
    net_micros: netMicros,
    net: (netMicros / CENT_MICROS / 100).toFixed(2),
    tier: tierOfCredits(credits)!.name,
  };
}

function tierLine(tier: Tier) {
  const { name, credits, limits, monitors, keys } = tier;
  return {
    name,
    credits,
    package_micros: tier.packageMicros,
    monthly_micros: tier.monthlyMicros,
    yearly_micros: tier.yearlyMicros,
    limits,
    monitors,
    keys,
  };
}

/** Each plan is also offered monthly, at its monthly price. */
const isDomainer = ({ line, interval }: SubscriptionPlan) =>
  line === 'domainer' && interval === 'year';

function domainerLine({ name, monthlyMicros, unitMicros, rights }: SubscriptionPlan) {
  return {
    name,
    plan_datasets: rights.datasets as PlanDataset[],
    monthly_micros: monthlyMicros,
    yearly_micros: unitMicros,
  };
}

function operationLine({ name, price, access }: Operation): PriceListOperation {
  const credits = price.per === 'free' ? 0 : maxCreditsEach(price.credits);
  return {
    operation: name,
    per: price.per,
    credits,
    ...(access.kind === 'key' && { class: access.class }),
    ...(price.per === 'free' && price.later !== undefined && { later: price.later }),
  };
}
