import { IsBoolean, IsIn, IsInt, IsISO8601, IsString, Matches, Max, Min } from 'class-validator';
import { Nested, NestedList, NullableText } from '../../members.js';
import type { BillingInterval, SubscriptionLineName } from '../../catalogue/subscription-plans.js';
import type { SubscriptionState } from '../../events/billing/subscription-changed.js';
import { IsNullable } from '../../nullable.js';
import { IsLine, MayBeAbsent } from '../account/text-rules.js';

const UNITS_MAX = 20;

/** The plan requested for a subscription. */
export class PlanRequest {
  @Matches(/^[\w-]{1,100}$/)
  sku: string;

  /** 1 by default. */
  @MayBeAbsent()
  @IsInt()
  @Min(1)
  @Max(UNITS_MAX)
  quantity?: number;
}

export class ChangePlanRequest extends PlanRequest {
  /** `from` of the preview to which the customer agreed; an upgrade is priced as of that time. */
  @MayBeAbsent()
  @IsISO8601({ strict: true, strictSeparator: true })
  from?: string;
}

export class CancelRequest {
  /** The reason in the customer's words, for the operator. */
  @MayBeAbsent()
  @IsLine(500)
  reason?: string;
}

export class PendingChange {
  @IsString()
  sku: string;

  @IsInt()
  quantity: number;

  @IsString()
  at: string;
}

/** A plan change that waits for its payment. */
export class UnpaidChangeAnswer {
  @IsString()
  sku: string;

  @IsInt()
  quantity: number;

  /** The amount due, tax included, in millionths of the currency unit. */
  @IsString()
  due_micros: string;

  /** Whether the means of payment was declined. */
  @IsBoolean()
  is_declined: boolean;

  /** The processor's payment page; null if the change must be requested again. */
  @NullableText()
  pay_url: string | null;

  /** When the change is dropped, RFC 3339. */
  @IsString()
  until: string;
}

export class PlanPreviewAnswer {
  @IsIn(['now', 'period_end'])
  effect: 'now' | 'period_end';

  /**
   * The amount due now, tax included, in millionths of the currency unit; `0` for a change at the end of the period.
   */
  @IsString()
  due_micros: string;

  /** The tax that the amount includes. */
  @IsString()
  tax_micros: string;

  @IsString()
  currency: string;

  /** The time from which the price difference is charged, or when the change takes effect. */
  @IsString()
  from: string;

  /** The price of each period from `renews_at` on, tax included. */
  @IsString()
  renewal_micros: string;

  /** When the running period ends and the new price is charged for the first time. */
  @IsString()
  renews_at: string;

  /** Credits granted at once; 0 for a change at the end of the period. */
  @IsInt()
  credits_now: number;

  /** The pending change at the end of the period that this change replaces; null if there is none. */
  @IsNullable()
  @Nested(() => PendingChange)
  drops_change: PendingChange | null;
}

export class SubscriptionAnswer {
  @IsString()
  id: string;

  @IsString()
  line: SubscriptionLineName;

  @IsString()
  state: SubscriptionState;

  @IsString()
  sku: string;

  @IsInt()
  quantity: number;

  @IsIn(['month', 'year'])
  interval: BillingInterval;

  /** The price of all units per interval, tax included, in millionths of the currency unit. */
  @IsString()
  amount_micros: string;

  /** The tax that the amount includes. If the tax rate changes, the new rate applies from the next period on. */
  @IsString()
  tax_micros: string;

  @IsString()
  currency: string;

  @IsString()
  processor: string;

  @IsString()
  period_start: string;

  @IsString()
  period_end: string;

  @NullableText()
  paid_through: string | null;

  /** When the subscription ends; null if it will be renewed. */
  @NullableText()
  cancel_at: string | null;

  @IsNullable()
  @Nested(() => PendingChange)
  pending_change: PendingChange | null;

  /**
   * A requested change that is not paid yet; null if there is none. The plan stays the same until the change is paid. At
   * PayPal, a plan that the customer has agreed to begins with the next period even if the change was not paid, unless it
   * is dropped.
   */
  @IsNullable()
  @Nested(() => UnpaidChangeAnswer)
  unpaid_change: UnpaidChangeAnswer | null;

  @IsBoolean()
  is_current: boolean;
}

export class SubscriptionsAnswer {
  @NestedList(() => SubscriptionAnswer)
  subscriptions: SubscriptionAnswer[];
}

export class PlanChangeAnswer {
  @Nested(() => SubscriptionAnswer)
  subscription: SubscriptionAnswer;

  /** Where the customer must pay or confirm before the plan changes; null if nothing is left to do. */
  @NullableText()
  redirect_url: string | null;
}

export class PaymentDetailsAnswer {
  /** The processor's page. */
  @IsString()
  redirect_url: string;
}
