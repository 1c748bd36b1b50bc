import { Injectable } from '@nestjs/common';
import type { TimelineRow } from '#libs/contracts';
import { Database } from '#libs/database';
import { EVENT_LINES } from '#libs/messaging';

export const INSPECTION = 'account.inspected';

@Injectable()
export class TimelineRepository {
  constructor(private readonly database: Database) {}

  /**
   * Lists entries from before a time, newest first: `limit` of them, and all others with the same time as the last.
   * @param withInspections whether to include inspections by operators; by default, they are left out.
   */
  async list(
    accountId: string,
    before: Date,
    limit: number,
    withInspections = false,
  ): Promise<TimelineRow[]> {
    return this.database.query<TimelineRow>(
      `select at, kind, text, id from (
         (select occurred_at as at, 'audit' as kind, actor || ' ' || action as text, object as id
          from audit where chain = $1 and occurred_at < $2 and ($4 or action <> '${INSPECTION}')
          order by occurred_at desc fetch first $3 rows with ties)
         union all
         (select date_trunc('milliseconds', created_at), 'mail', state || coalesce(': ' || subject, '')
            || coalesce(' (' || reason || ')', ''), id::text
          from mail where account_id = $1 and date_trunc('milliseconds', created_at) < $2)
         union all ${EVENT_LINES}) e
       order by at desc fetch first $3 rows with ties`,
      [accountId, before, limit, withInspections],
    );
  }

  /** Counts how often operators inspected the account in a period. */
  async countInspections(accountId: string, from: Date, before: Date): Promise<number> {
    const [{ inspections }] = await this.database.query<{ inspections: number }>(
      `select count(*)::int as inspections from audit
       where chain = $1 and action = '${INSPECTION}' and occurred_at >= $2 and occurred_at < $3`,
      [accountId, from, before],
    );
    return inspections;
  }
}
