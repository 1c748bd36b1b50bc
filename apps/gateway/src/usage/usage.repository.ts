import { Injectable } from '@nestjs/common';
import type { KeyUsageDay, UsageDay } from '#libs/contracts';
import { Database } from '#libs/database';
import { HOUR_MS } from '#libs/platform';

/** Counts of the request log. */
@Injectable()
export class UsageRepository {
  constructor(private readonly database: Database) {}

  /**
   * Requests and credits by day (UTC) and operation: what the roll-up has counted, and the rows of the last
   * hours that it has not.
   */
  async listDays(
    accountId: string,
    { from, until, now }: { from: Date; until: Date; now: Date },
  ): Promise<UsageDay[]> {
    const rows = await this.database.query<Record<keyof UsageDay, string>>(DAYS, [
      accountId,
      from,
      until,
      new Date(now.getTime() - UNCOUNTED_MS),
    ]);
    return rows.map(({ date, operation, ...counts }) => ({ date, operation, ...numbers(counts) }));
  }

  /** Requests and credits by day (UTC) and key, from the single rows. */
  async listKeyDays(
    accountId: string,
    { from, until }: { from: Date; until: Date },
  ): Promise<KeyUsageDay[]> {
    const rows = await this.database.query<Record<keyof KeyUsageDay, string>>(KEY_DAYS, [
      accountId,
      from,
      until,
    ]);
    return rows.map(({ date, key_id, ...counts }) => ({ date, key_id, ...numbers(counts) }));
  }
}

function numbers({ requests, failed, credits }: Record<'requests' | 'failed' | 'credits', string>) {
  return { requests: Number(requests), failed: Number(failed), credits: Number(credits) };
}

/** Older rows that come late are shown once they are counted, within a minute. */
const UNCOUNTED_MS = 2 * HOUR_MS;

const DAYS = `
  select to_char(day, 'YYYY-MM-DD') as date, operation, sum(requests) as requests,
    coalesce(sum(requests) filter (where status >= 400), 0) as failed, sum(credits) as credits
  from (
    select (hour at time zone 'UTC')::date as day, operation, status, requests, credits
    from request_hours
    where account_id = $1 and hour >= $2 and hour < $3
    union all
    select (at at time zone 'UTC')::date, operation, status, requests, credits
    from request_log, counted_requests counted
    where account_id = $1 and at >= greatest($2, $4::timestamptz) and at < $3
      and (written_by > counted.highest
        or not pg_visible_in_snapshot(written_by::text::xid8, counted.snapshot))
  ) used
  group by day, operation order by day, operation`;

const KEY_DAYS = `
  select to_char((at at time zone 'UTC')::date, 'YYYY-MM-DD') as date, key_id, sum(requests) as requests,
    coalesce(sum(requests) filter (where status >= 400), 0) as failed, sum(credits) as credits
  from request_log
  where account_id = $1 and at >= $2 and at < $3
  group by 1, 2 order by 1, 2`;
