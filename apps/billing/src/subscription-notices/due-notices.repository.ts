import { Injectable } from '@nestjs/common';
import type { BillingInterval } from '#libs/contracts';
import { MaintenanceDatabase } from '#libs/database';
import type { ProcessorName } from '../processors/payment-processor.js';

export type NoticeReason =
  | 'change_declined'
  | 'renewal'
  | 'payment_failed'
  | 'payment_failed_again'
  | 'last_warning'
  | 'ending'
  | 'ended';

export interface DueNotice {
  /** The occasion. One e-mail is sent about it. */
  about: string;
  reason: NoticeReason;
  accountId: string;
  processor: ProcessorName;
  sku: string;
  quantity: number;
  /** The version of the catalogue whose price applies; null for today's, because the plan will have changed. */
  catalogueVersion: string | null;
  interval: BillingInterval;
  currency: string;
  /** The amount due for a declined change, in millionths of the currency unit. */
  unpaidMicros: string | null;
  taxPpm: number;
  /** Whether the tax rate of the renewal is final. If false, it can still change with the billing details. */
  isTaxDecided: boolean;
  periodEnd: Date;
  paidThrough: Date | null;
  /** Whether paid time remains, even if the plan has ended at the processor. */
  isPaidAhead: boolean;
  cancelAt: Date | null;
}

@Injectable()
export class DueNoticesMaintenanceRepository {
  constructor(private readonly maintenance: MaintenanceDatabase) {}

  async list(now: Date, limit: number): Promise<DueNotice[]> {
    return this.maintenance.query<DueNotice>(LIST, [now, limit]);
  }
}

/**
 * The SQL of due notices: at most one per subscription, by its present state. A renewal is announced 3 days ahead (14
 * for a yearly plan). While a payment is overdue, notices are sent at once, after 3 and after 6 of the 7 days of grace;
 * none are sent for a cancelled subscription, which has no grace.
 */
const LIST = `
  with standing as (
    select s.*, case
      when s.state = 'active' and s.unpaid_because = 'declined'
        and s.unpaid_until > $1::timestamptz then 'change_declined'
      when s.state = 'past_due' and s.cancel_at is null then case
        when $1::timestamptz >= s.paid_through + interval '6 days' then 'last_warning'
        when $1::timestamptz >= s.paid_through + interval '3 days' then 'payment_failed_again'
        else 'payment_failed' end
      when s.state in ('unpaid', 'cancelled') and s.paid_through is not null
        and s.updated_at > $1::timestamptz - interval '7 days' then 'ended'
      when s.state in ('active', 'trialing') and s.cancel_at is not null then 'ending'
      when s.state in ('active', 'trialing') and $1::timestamptz >= s.period_end
        - case s.interval when 'year' then interval '14 days' else interval '3 days' end
        and $1::timestamptz < s.period_end then 'renewal' end as reason
    from subscriptions s
    where not s.is_duplicate and not s.is_cancelled_by_deletion
      and not exists (select from account_states a
        where a.account_id = s.account_id and a.state <> 'active')),
  due as (
    select s.*, s.reason || ':' || s.id || case
      when s.reason = 'ended' then ''
      when s.reason = 'change_declined' then ':' || extract(epoch from s.unpaid_until)::bigint
      when s.reason = 'ending' then ':' || extract(epoch from s.cancel_at)::bigint
      when s.reason = 'renewal' then ':' || extract(epoch from s.period_end)::bigint
      else ':' || extract(epoch from coalesce(s.paid_through, s.period_start))::bigint end as about
    from standing s where s.reason is not null)
  select d.about, d.reason, d.account_id as "accountId", d.processor,
    case when d.reason = 'change_declined' then d.unpaid_sku when d.reason in ('ending', 'ended') then d.sku
      else coalesce(d.pending_sku, d.sku) end as sku,
    case when d.reason = 'change_declined' then d.unpaid_quantity when d.reason in ('ending', 'ended') then d.quantity
      else coalesce(d.pending_quantity, d.quantity) end as quantity,
    case when d.pending_sku is null then d.catalogue_version end as "catalogueVersion", d.unpaid_micros as "unpaidMicros", d.interval, d.currency,
    case when d.reason = 'renewal' and d.tax_decided_at = d.period_end
      then coalesce(d.next_tax_ppm, d.tax_ppm) else d.tax_ppm end as "taxPpm",
    d.reason <> 'renewal' or d.tax_decided_at is not distinct from d.period_end as "isTaxDecided",
    d.period_end as "periodEnd", d.paid_through as "paidThrough",
    coalesce(d.paid_through > $1::timestamptz, false) as "isPaidAhead", d.cancel_at as "cancelAt"
  from due d
  where not exists (select from mailed_notices w
    where w.account_id = d.account_id and w.about = d.about)
  order by d.updated_at limit $2`;
