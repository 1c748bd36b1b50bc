import { Type } from 'class-transformer';
import { IsBoolean, IsIn, IsInt, IsOptional, IsString, Min, ValidateNested } from 'class-validator';
import { RATE_CLASSES } from '../access.js';

/** Requests per minute. */
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

  @ValidateNested()
  @Type(() => PriceListLimits)
  limits: PriceListLimits;

  @ValidateNested()
  @Type(() => PriceListMonitors)
  monitors: PriceListMonitors;

  @IsInt()
  keys: number;
}

/** The limits and rights of an account without purchases. */
export class PriceListTrial {
  @IsInt()
  credits: number;

  @ValidateNested()
  @Type(() => PriceListLimits)
  limits: PriceListLimits;

  @ValidateNested()
  @Type(() => PriceListMonitors)
  monitors: PriceListMonitors;

  @IsInt()
  keys: number;
}

/** A unit of additional requests per minute. */
export class PriceListRateUnit {
  @ValidateNested()
  @Type(() => PriceListLimits)
  limits: PriceListLimits;

  @IsInt()
  monthly_micros: number;

  @IsInt()
  yearly_micros: number;

  @IsInt()
  units_max: number;
}

/** The price of one operation. */
export class PriceListOperation {
  @IsString()
  operation: string;

  @IsIn(['answer', 'item', 'page', 'free'])
  per: 'answer' | 'item' | 'page' | 'free';

  /** The maximum cost of one answer, item or page. */
  @IsInt()
  @Min(0)
  credits: number;

  @IsOptional()
  @IsIn(RATE_CLASSES)
  class?: string;
}

/** The price list. */
export class PriceList {
  @IsBoolean()
  status: boolean;

  @IsString()
  catalogue_version: string;

  @IsIn(['USD'])
  currency: string;

  @ValidateNested()
  @Type(() => PriceListTrial)
  trial: PriceListTrial;

  @ValidateNested({ each: true })
  @Type(() => PriceListTier)
  tiers: PriceListTier[];

  @ValidateNested()
  @Type(() => PriceListRateUnit)
  rate_limit_unit: PriceListRateUnit;

  @ValidateNested({ each: true })
  @Type(() => PriceListOperation)
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

  /** The same price in dollars and cents. */
  @IsString()
  net: string;

  /** The tier whose rights the package gives. */
  @IsString()
  tier: string;
}
