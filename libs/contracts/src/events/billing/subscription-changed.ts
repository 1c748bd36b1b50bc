import {
  ArrayMaxSize,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Min,
} from 'class-validator';
import { IsCount, Nested } from '../../members.js';
import { EventType } from '../event-type.js';
import { IsAfter, IsInstant } from '../rules.js';

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

export class RateLimits {
  @IsCount()
  live: number;

  @IsCount()
  bulk: number;

  @IsCount()
  heavy: number;
}

export class MonitorSlots {
  @IsCount()
  domain: number;

  @IsCount()
  brand: number;

  @IsCount()
  registrant: number;
}

/**
 * The current state of a subscription, in full: state and rights. Its credits are in the lines of its payments.
 * Aggregate `subscription:<id>`.
 */
@EventType({ type: 'billing.subscription-changed', version: 1, kind: 'state' })
export class SubscriptionChanged {
  @IsUUID()
  subscriptionId: string;

  /** Product line; an account has at most one current subscription in each. */
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

  @IsInstant()
  periodStart: string;

  @IsInstant()
  @IsAfter('periodStart')
  periodEnd: string;

  /** End of the last paid period that was not reversed; absent before the first payment. */
  @IsOptional()
  @IsInstant()
  paidThrough?: string;

  @IsOptional()
  @IsInstant()
  cancelAt?: string;

  /** Requests per minute; for the add-on, those that it adds, already multiplied by the quantity. */
  @Nested(() => RateLimits)
  limits: RateLimits;

  @Nested(() => MonitorSlots)
  monitors: MonitorSlots;

  /** Number of live API keys. */
  @IsCount()
  keys: number;

  @IsString({ each: true })
  @ArrayMaxSize(20)
  datasets: string[];

  @IsString()
  @Length(1, 20)
  catalogueVersion: string;
}
