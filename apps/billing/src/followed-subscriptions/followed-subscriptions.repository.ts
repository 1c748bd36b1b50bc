import { Injectable } from '@nestjs/common';
import { MaintenanceDatabase } from '#libs/database';
import type { ProcessorName } from '../processors/payment-processor.js';

export interface FollowedSubscription {
  id: string;
  accountId: string;
  processor: ProcessorName;
  externalId: string;
  wanted: 'end' | 'cancel' | 'drop' | 'resume' | 'plan';
  /** The plan to restore (for `plan`), or the plan of the change to schedule again (for `resume`). */
  sku: string | null;
  quantity: number | null;
  /** The version of the catalogue from which the plan to restore was bought; null for today's. */
  catalogueVersion: string | null;
  currency: string;
  taxPpm: number;
  isChangeUnpaid: boolean;
}

@Injectable()
export class FollowedSubscriptionsMaintenanceRepository {
  constructor(private readonly maintenance: MaintenanceDatabase) {}

  /**
   * Lists running subscriptions that must change because of their account's state, another subscription or a reversal.
   * The statement is a union of two queries, each with its own index, because it runs every few seconds and nearly all
   * subscriptions need no change.
   * @param after the id to continue after.
   */
  async listToFollow(after: string, limit: number): Promise<FollowedSubscription[]> {
    return this.maintenance.query<FollowedSubscription>(
      `with wishing as (
           select s.id from subscriptions s
             left join account_states a on a.account_id = s.account_id
             where s.state not in ('cancelled', 'expired')
               and (s.is_duplicate or s.is_reversed or s.wanted_sku is not null
                 or s.is_cancelled_by_deletion)
               and (s.is_duplicate or s.is_reversed or s.wanted_sku is not null
                 or a.state = 'active')
           union
           select s.id from account_states a join subscriptions s on s.account_id = a.account_id
             where a.state in ('deleted', 'erased') and not a.is_settled
               and s.state not in ('cancelled', 'expired')
               and (a.state = 'erased' or s.cancel_at is null or s.unpaid_page is not null))
         select s.id, s.account_id as "accountId", s.processor, s.external_id as "externalId", w.wanted,
           case when w.wanted = 'resume' then s.restorable_sku else s.wanted_sku end as sku,
           case when w.wanted = 'resume' then s.restorable_quantity else s.wanted_quantity end as quantity,
           case when w.wanted = 'plan' then (
             select p.catalogue_version from payment_lines l join payments p on p.id = l.payment_id
             where l.account_id = s.account_id and l.subscription_id = s.id
               and l.sku = s.wanted_sku and l.quantity = s.wanted_quantity
             order by l.period_end desc, l.starts_at desc limit 1) end as "catalogueVersion",
           s.currency, s.tax_ppm as "taxPpm", s.unpaid_sku is not null as "isChangeUnpaid"
         from wishing join subscriptions s using (id)
           left join account_states a on a.account_id = s.account_id
           cross join lateral (select case
             when s.is_duplicate or s.is_reversed or a.state = 'erased' then 'end'
             when a.state = 'deleted' and s.cancel_at is null then 'cancel'
             when a.state = 'deleted' and s.unpaid_page is not null then 'drop'
             when a.state = 'active' and s.is_cancelled_by_deletion then 'resume'
             else 'plan' end as wanted) w
         where s.id > $1
         order by s.id limit $2`,
      [after, limit],
    );
  }

  /**
   * Marks erased accounts whose subscriptions have all ended. Without the mark, each run would read an ever-growing
   * number of such accounts.
   */
  async settleErased(): Promise<void> {
    await this.maintenance.query(
      `update account_states a set is_settled = true
       where a.state = 'erased' and not a.is_settled and not exists (
         select from subscriptions s
         where s.account_id = a.account_id and s.state not in ('cancelled', 'expired'))`,
    );
  }

  /**
   * Lists cancelled subscriptions whose period is over and whose end the processor has not reported.
   * @param except the processors' ids of subscriptions to leave out.
   */
  async listOverdue(
    now: Date,
    limit: number,
    except: readonly string[],
  ): Promise<{ processor: ProcessorName; id: string }[]> {
    return this.maintenance.query<{ processor: ProcessorName; id: string }>(
      `select processor, external_id as id from subscriptions
         where cancel_at <= $1 and state not in ('cancelled', 'expired') and external_id <> all($3::text[])
         order by cancel_at limit $2`,
      [now, limit, except],
    );
  }

  async dropWantedPlan({ accountId, id }: FollowedSubscription): Promise<void> {
    await this.maintenance.query(
      `update subscriptions set wanted_sku = null, wanted_quantity = null
       where account_id = $1 and id = $2`,
      [accountId, id],
    );
  }

  /**
   * Records that the deletion cancels the subscription, and which change this cancellation drops. A repeated call,
   * after the processor has dropped the change, keeps the first record.
   */
  async markCancelledByDeletion({ accountId, id }: FollowedSubscription): Promise<void> {
    await this.maintenance.query(
      `update subscriptions set is_cancelled_by_deletion = true,
         restorable_sku = coalesce(pending_sku, case when is_cancelled_by_deletion then restorable_sku end),
         restorable_quantity =
           coalesce(pending_quantity, case when is_cancelled_by_deletion then restorable_quantity end)
       where account_id = $1 and id = $2`,
      [accountId, id],
    );
  }

  async markResumed({ accountId, id }: FollowedSubscription): Promise<void> {
    await this.maintenance.query(
      `update subscriptions set is_cancelled_by_deletion = false, restorable_sku = null, restorable_quantity = null
       where account_id = $1 and id = $2`,
      [accountId, id],
    );
  }
}
