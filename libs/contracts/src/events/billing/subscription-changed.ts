import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsIn,
  IsInt,
  IsISO8601,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Matches,
  Min,
  ValidateNested,
} from 'class-validator';
import { EventType } from '../event-type.js';

const SUBSCRIPTION_STATES = [
  'incomplete',
  'trialing',
  'active',
  'past_due',
  'unpaid',
  'paused',
  'cancelled',
  'expired',
] as const;
export type SubscriptionState = (typeof SUBSCRIPTION_STATES)[number];

/** Requests per minute by class. */
export class RateLimits {
  @IsInt()
  @Min(0)
  live: number;

  @IsInt()
  @Min(0)
  bulk: number;

  @IsInt()
  @Min(0)
  heavy: number;
}

export class MonitorSlots {
  @IsInt()
  @Min(0)
  domain: number;

  @IsInt()
  @Min(0)
  brand: number;

  @IsInt()
  @Min(0)
  registrant: number;
}

/** A subscription as it stands now, in full. Aggregate `subscription:<id>`. */
@EventType({ type: 'billing.subscription-changed', version: 1, kind: 'state' })
export class SubscriptionChanged {
  @IsUUID()
  subscriptionId: string;

  /** Product line; an account has one current subscription of each. */
  @IsIn(['api', 'domainer', 'rate_limit'])
  line: 'api' | 'domainer' | 'rate_limit';

  @IsIn(SUBSCRIPTION_STATES)
  state: SubscriptionState;

  @IsString()
  @Length(1, 100)
  sku: string;

  @IsInt()
  @Min(1)
  quantity: number;

  @IsIn(['month', 'year'])
  interval: 'month' | 'year';

  @IsISO8601()
  periodStart: string;

  @IsISO8601()
  periodEnd: string;

  /** Rights and slices reach up to here; a processor moves the period before the renewal is paid. */
  @IsISO8601()
  paidThrough: string;

  @IsOptional()
  @IsISO8601()
  cancelAt?: string;

  /** Decimal string; `0` for lines without credits. */
  @Matches(/^[0-9]{1,18}$/)
  monthlyCredits: string;

  /** For the add-on: what it adds, already multiplied by the quantity. */
  @ValidateNested()
  @Type(() => RateLimits)
  limits: RateLimits;

  @ValidateNested()
  @Type(() => MonitorSlots)
  monitors: MonitorSlots;

  /** Number of live API keys. */
  @IsInt()
  @Min(0)
  keys: number;

  /** Datasets of database files this subscription opens. */
  @IsString({ each: true })
  @ArrayMaxSize(20)
  datasets: string[];

  @IsString()
  @Length(1, 20)
  catalogueVersion: string;
}
