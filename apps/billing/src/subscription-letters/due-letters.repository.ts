import { Injectable } from '@nestjs/common';
import type { BillingInterval } from '#libs/contracts';
import { MaintenanceDatabase } from '#libs/database';

/** Why a letter about a subscription is due. */
export type LetterReason =
  'renewal' | 'payment_failed' | 'payment_failed_again' | 'last_warning' | 'ending' | 'ended';

/** A letter that was not written yet. */
export interface DueLetter {
  /** What it is about: written once. */
  about: string;
  reason: LetterReason;
  accountId: string;
  sku: string;
  quantity: number;
  interval: BillingInterval;
  currency: string;
  periodEnd: Date;
  paidThrough: Date | null;
  cancelAt: Date | null;
}

/** Letters of every account. */
@Injectable()
export class DueLettersMaintenanceRepository {
  constructor(private readonly maintenance: MaintenanceDatabase) {}

  async list(now: Date, limit: number): Promise<DueLetter[]> {
    return this.maintenance.query<DueLetter>(LIST, [now, limit]);
  }
}

/**
 * Of each subscription the one letter that fits how it stands now. A renewal is told 3 days ahead, of a yearly
 * plan 14; of an unpaid one each step of the 7 days of grace is told: at once, after 3 and after 6 days.
 */
const LIST = `
  with standing as (
    select s.*, case
      when s.state = 'past_due' then case
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
      when s.reason = 'ending' then ':' || extract(epoch from s.cancel_at)::bigint
      when s.reason = 'renewal' then ':' || extract(epoch from s.period_end)::bigint
      else ':' || extract(epoch from s.paid_through)::bigint end as about
    from standing s where s.reason is not null)
  select d.about, d.reason, d.account_id as "accountId", coalesce(d.pending_sku, d.sku) as sku,
    coalesce(d.pending_quantity, d.quantity) as quantity, d.interval, d.currency,
    d.period_end as "periodEnd", d.paid_through as "paidThrough", d.cancel_at as "cancelAt"
  from due d
  where not exists (select from written_letters w
    where w.account_id = d.account_id and w.about = d.about)
  order by d.updated_at limit $2`;
