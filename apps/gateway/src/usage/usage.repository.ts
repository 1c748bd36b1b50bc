import { Injectable } from '@nestjs/common';
import type { UsageDay } from '#libs/contracts';
import { Database } from '#libs/database';

/** Counts of the request log. */
@Injectable()
export class UsageRepository {
  constructor(private readonly database: Database) {}

  /**
   * Requests and credits by day (UTC) and operation. Hours that are still being counted are read from the
   * log itself, older ones from their counts.
   */
  async listDays(
    accountId: string,
    { from, until, now }: { from: Date; until: Date; now: Date },
  ): Promise<UsageDay[]> {
    const rows = await this.database.query<Record<keyof UsageDay, string>>(
      `with counted as (select date_trunc('hour', $4::timestamptz - interval '1 hour') as until)
       select to_char(day, 'YYYY-MM-DD') as date, operation, sum(requests) as requests, sum(credits) as credits
       from (
         select (hour at time zone 'UTC')::date as day, operation, requests, credits
         from request_hours, counted
         where account_id = $1 and hour >= $2 and hour < least($3, counted.until)
         union all
         select (at at time zone 'UTC')::date, operation, 1, credits
         from request_log, counted
         where account_id = $1 and at >= greatest($2, counted.until) and at < $3
       ) used
       group by day, operation order by day, operation`,
      [accountId, from, until, now],
    );
    return rows.map(({ date, operation, requests, credits }) => ({
      date,
      operation,
      requests: Number(requests),
      credits: Number(credits),
    }));
  }
}
