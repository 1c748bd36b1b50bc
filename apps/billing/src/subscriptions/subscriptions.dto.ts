import { IsInt, IsISO8601, IsOptional, Matches, Max, Min, ValidateIf } from 'class-validator';
import type { BillingInterval, SubscriptionLineName, SubscriptionState } from '#libs/contracts';
import type { ProcessorName } from '../processors/payment-processor.js';
import type { Subscription } from './subscription.entity.js';

const UNITS_MAX = 20;

/** The plan a subscription shall have. */
export class PlanRequest {
  @Matches(/^[\w-]{1,100}$/)
  sku: string;

  /** 1 when it is left out. */
  @ValidateIf(({ quantity }: PlanRequest) => quantity !== undefined)
  @IsInt()
  @Min(1)
  @Max(UNITS_MAX)
  quantity?: number;
}

export class ChangePlanRequest extends PlanRequest {
  /** `from` of the preview that the customer agreed to; an upgrade is counted from there. */
  @IsOptional()
  @IsISO8601({ strict: true, strictSeparator: true })
  from?: string;
}

export interface ChangePreviewResponse {
  effect: 'now' | 'period_end';
  /** What is due now, in millionths of the currency unit; `0` for a change at the end of the period. */
  due_micros: string;
  currency: string;
  /** From when the difference is counted, or when the change takes effect. */
  from: string;
}

export interface SubscriptionResponse {
  id: string;
  line: SubscriptionLineName;
  state: SubscriptionState;
  sku: string;
  quantity: number;
  interval: BillingInterval;
  processor: ProcessorName;
  period_start: string;
  period_end: string;
  paid_through: string | null;
  /** Set while it ends instead of being renewed. */
  cancel_at: string | null;
  pending_change: { sku: string; quantity: number; at: string } | null;
  is_current: boolean;
}

export interface ChangeResponse {
  subscription: SubscriptionResponse;
  /** Where the customer must pay or confirm before the plan changes; null when nothing is left to do. */
  redirect_url: string | null;
}

export function toSubscriptionResponse(row: Subscription): SubscriptionResponse {
  const { pendingSku: sku, pendingQuantity: quantity } = row;
  const at = row.periodEnd.toISOString();
  return {
    id: row.id,
    line: row.line,
    state: row.state,
    sku: row.sku,
    quantity: row.quantity,
    interval: row.interval,
    processor: row.processor,
    period_start: row.periodStart.toISOString(),
    period_end: at,
    paid_through: row.paidThrough?.toISOString() ?? null,
    cancel_at: row.cancelAt?.toISOString() ?? null,
    pending_change: sku === null ? null : { sku, quantity: quantity ?? 1, at },
    is_current: row.isCurrent,
  };
}
