import { Injectable } from '@nestjs/common';
import type { TimelineRow } from '#libs/contracts';
import { Database } from '#libs/database';
import { EVENT_LINES } from '#libs/messaging';

/** The action of an operator who reads. */
export const LOOK = 'account.inspected';

@Injectable()
export class TimelineRepository {
  constructor(private readonly database: Database) {}

  /**
   * Newest first, with all that share the last one's time; each part is cut by its own index.
   * @param withLooks whether what operators looked at is among it.
   */
  async list(
    accountId: string,
    before: Date,
    limit: number,
    withLooks = false,
  ): Promise<TimelineRow[]> {
    return this.database.query<TimelineRow>(
      `select at, kind, text, id from (
         (select occurred_at as at, 'audit' as kind, actor || ' ' || action as text, object as id
          from audit where chain = $1 and occurred_at < $2 and ($4 or action <> '${LOOK}')
          order by occurred_at desc fetch first $3 rows with ties)
         union all
         (select date_trunc('milliseconds', created_at), 'mail', state || coalesce(': ' || subject, '')
            || coalesce(' (' || reason || ')', ''), id::text
          from mail where account_id = $1 and date_trunc('milliseconds', created_at) < $2)
         union all ${EVENT_LINES}) e
       order by at desc fetch first $3 rows with ties`,
      [accountId, before, limit, withLooks],
    );
  }

  /** How often operators looked at the account: from a time on, and before another. */
  async countLooks(accountId: string, from: Date, before: Date): Promise<number> {
    const [{ looks }] = await this.database.query<{ looks: number }>(
      `select count(*)::int as looks from audit
       where chain = $1 and action = '${LOOK}' and occurred_at >= $2 and occurred_at < $3`,
      [accountId, from, before],
    );
    return looks;
  }
}
