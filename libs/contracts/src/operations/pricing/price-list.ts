import { IsBoolean, IsIn, IsInt, IsOptional, IsString } from 'class-validator';
import { PLAN_DATASETS, type PlanDataset } from '../../catalogue/plan-datasets.js';
import { IsCount, Nested, NestedList, OptionalText } from '../../members.js';
import { RATE_CLASSES } from '../access.js';

/** Requests per minute in each class. */
export class PriceListLimits {
  @IsInt()
  live: number;

  @IsInt()
  bulk: number;

  @IsInt()
  heavy: number;
}

/** The numbers of monitors of each kind. */
export class PriceListMonitors {
  @IsInt()
  domain: number;

  @IsInt()
  brand: number;

  @IsInt()
  registrant: number;
}

/** A tier of packages and plans. Money is in millionths of a dollar, tax excluded. */
export class PriceListTier {
  @IsString()
  name: string;

  @IsInt()
  credits: number;

  /** Price of the package, paid once; its credits never expire. */
  @IsInt()
  package_micros: number;

  @IsInt()
  monthly_micros: number;

  @IsInt()
  yearly_micros: number;

  @Nested(() => PriceListLimits)
  limits: PriceListLimits;

  @Nested(() => PriceListMonitors)
  monitors: PriceListMonitors;

  @IsInt()
  keys: number;
}

/** The limits and rights of an account without purchases. */
export class PriceListTrial {
  @IsInt()
  credits: number;

  @Nested(() => PriceListLimits)
  limits: PriceListLimits;

  @Nested(() => PriceListMonitors)
  monitors: PriceListMonitors;

  @IsInt()
  keys: number;
}

/** A unit of additional requests per minute. */
export class PriceListRateUnit {
  @Nested(() => PriceListLimits)
  limits: PriceListLimits;

  @IsInt()
  monthly_micros: number;

  @IsInt()
  yearly_micros: number;

  @IsInt()
  units_max: number;
}

/** A plan for database files. */
export class PriceListDomainer {
  @IsString()
  name: string;

  /** The parts of the plan: `plan_dataset` of a file names the part that gives access to it. */
  @IsIn(PLAN_DATASETS, { each: true })
  plan_datasets: PlanDataset[];

  @IsInt()
  monthly_micros: number;

  @IsInt()
  yearly_micros: number;
}

/** The price of one operation. */
export class PriceListOperation {
  @IsString()
  operation: string;

  @IsIn(['answer', 'item', 'page', 'free'])
  per: 'answer' | 'item' | 'page' | 'free';

  /** The maximum cost of one answer, item or page. */
  @IsCount()
  credits: number;

  @IsOptional()
  @IsIn(RATE_CLASSES)
  class?: string;

  /** The price of the work that a free operation starts, in words. */
  @OptionalText()
  later?: string;
}

/** The price list. */
export class PriceList {
  @IsBoolean()
  status: boolean;

  @IsString()
  catalogue_version: string;

  @IsIn(['USD'])
  currency: string;

  @Nested(() => PriceListTrial)
  trial: PriceListTrial;

  @NestedList(() => PriceListTier)
  tiers: PriceListTier[];

  @Nested(() => PriceListRateUnit)
  rate_limit_unit: PriceListRateUnit;

  /** The Domainer plans, which give access to database files. */
  @NestedList(() => PriceListDomainer)
  domainer: PriceListDomainer[];

  @NestedList(() => PriceListOperation)
  operations: PriceListOperation[];
}

/** The price of a package of credits. */
export class PackageQuote {
  @IsBoolean()
  status: boolean;

  @IsString()
  catalogue_version: string;

  @IsIn(['USD'])
  currency: string;

  @IsInt()
  credits: number;

  /** Millionths of a dollar, tax excluded. */
  @IsInt()
  net_micros: number;

  /** The same price in dollars, with two decimals: `81.43`. */
  @IsString()
  net: string;

  /** The tier whose rights the package gives. */
  @IsString()
  tier: string;
}
