import { Injectable } from '@nestjs/common';
import type { KeyUsageDay, UsageDay } from '#libs/contracts';
import { HOUR_MS } from '#libs/platform';
import { KEY_FIGURES, KEY_SUMS, PACE_LIST, isUncounted } from '../request-log/hourly-counts.js';
import { OUR_OUTAGES } from '../rate-limits/our-outages.js';
import { type LogReader, LogReads } from './log-reads.js';

/** The requests in one minute. Minutes are counted back from now; 0 is the most recent one. */
export interface UsedInMinute {
  minute: number;
  operation: string;
  requests: number;
}

interface Stretch {
  from: Date;
  until: Date;
  now: Date;
}

/** Reads counts from the request log. All methods throw the errors of `LogReads.query`. */
@Injectable()
export class UsageRepository {
  constructor(private readonly reads: LogReads) {}

  /**
   * Sums requests and credits by day (UTC) and operation, from the hourly counts and from the rows of the last hours
   * that have not been counted yet.
   */
  async listDays(accountId: string, stretch: Stretch): Promise<UsageDay[]> {
    return this.reads.read(accountId, (reader) => daysIn(reader, accountId, stretch));
  }

  /**
   * Like `listDays`. In the same turn, counts each operation's requests per minute for the hour before `now`, except
   * those that no rate limit counts: requests over the limit, requests that their key does not allow, and requests
   * rejected because of our own outage.
   */
  async listDaysAndMinutes(
    accountId: string,
    stretch: Stretch,
  ): Promise<{ days: UsageDay[]; minutes: UsedInMinute[] }> {
    const [days, minutes] = await this.reads.read(accountId, (reader) =>
      Promise.all([
        daysIn(reader, accountId, stretch),
        reader.query<UsedInMinute>(MINUTES, [accountId, stretch.now, [...OUR_OUTAGES]]),
      ]),
    );
    return { days, minutes };
  }

  /**
   * Sums requests and credits as `listDays` does, but by key and with response times. For times
   * before hourly counts by key existed, the rows are read.
   */
  async listKeyDays(accountId: string, { from, until, now }: Stretch): Promise<KeyUsageDay[]> {
    const rows = await this.reads.query<
      Record<keyof Omit<KeyUsageDay, 'within'>, string> & { within: string[] }
    >(accountId, KEY_DAYS, [accountId, from, until, new Date(now.getTime() - UNCOUNTED_MS)]);
    return rows.map(({ date, key_id, within, ...counts }) => ({
      date,
      key_id,
      ...numbers(counts),
      within: within.map(Number),
    }));
  }
}

async function daysIn(
  reader: LogReader,
  accountId: string,
  { from, until, now }: Stretch,
): Promise<UsageDay[]> {
  const uncountedFrom = new Date(now.getTime() - UNCOUNTED_MS);
  const rows = await reader.query<Record<keyof UsageDay, string>>(DAYS, [
    accountId,
    from,
    until,
    uncountedFrom,
  ]);
  return rows.map(({ date, operation, ...counts }) => ({ date, operation, ...numbers(counts) }));
}

function numbers({ requests, failed, credits }: Record<'requests' | 'failed' | 'credits', string>) {
  return { requests: Number(requests), failed: Number(failed), credits: Number(credits) };
}

/** Rows older than this are read only from the hourly counts. If they arrive late, they are counted within a minute. */
const UNCOUNTED_MS = 2 * HOUR_MS;

const IS_UNCOUNTED = isUncounted('counted.snapshot', 'counted.highest');

const MINUTES = `
  select floor(extract(epoch from $2::timestamptz - at) / 60)::int as minute, operation, sum(requests)::int as requests
  from request_log
  where account_id = $1 and at > $2::timestamptz - interval '1 hour' and at <= $2
    and status not in (403, 429) and outcome <> all($3)
  group by 1, 2`;

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
      and ${IS_UNCOUNTED}
  ) used
  group by day, operation order by day, operation`;

const KEY_DAYS = `
  select to_char((hour at time zone 'UTC')::date, 'YYYY-MM-DD') as date, key_id,
    sum(requests) as requests, sum(failed) as failed, sum(credits) as credits, ${PACE_LIST} as within
  from (
    select hour, key_id, ${KEY_FIGURES.join(', ')} from key_hours
    where account_id = $1 and hour >= $2 and hour < $3
    union all
    select at, key_id, ${KEY_SUMS} from request_log, counted_key_hours counted
    where account_id = $1 and at >= greatest($2, $4::timestamptz) and at < $3
      and ${IS_UNCOUNTED}
    group by at, key_id
    union all
    select at, key_id, ${KEY_SUMS} from request_log, counted_key_hours counted
    where account_id = $1 and at >= $2 and at < least($3, counted.began_at + interval '1 hour')
      and written_by <= counted.first_highest
      and pg_visible_in_snapshot(written_by::text::xid8, counted.first_snapshot)
    group by at, key_id
  ) used
  group by 1, 2 order by 1, 2`;
