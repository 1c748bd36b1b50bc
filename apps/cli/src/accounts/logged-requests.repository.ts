import { type AccountMatch, REQUESTS_KEPT_DAYS } from '#libs/contracts';
import type { Database } from '#libs/database';

/**
 * The number of days that are searched: the days for which requests are kept, one more for rows that have not been
 * dropped yet, and another for a gateway whose clock is ahead.
 */
const DAYS_SEARCHED = REQUESTS_KEPT_DAYS + 2;

interface LoggedRow {
  accountId: string;
  at: Date;
  operation: string;
  subject: string;
  status: number;
}

/** Reads the gateway's request log, which is stored only in the gateway's own database. */
export class LoggedRequestsMaintenanceRepository {
  constructor(private readonly database: Pick<Database, 'query'>) {}

  /**
   * Finds the account of a request; returns an empty list if the request is unknown or older than the log. Reads one
   * day at a time, the latest first, because operators mostly ask about recent requests.
   */
  async find(requestId: string): Promise<AccountMatch[]> {
    for (let daysAgo = 0; daysAgo < DAYS_SEARCHED; daysAgo++) {
      const rows = await this.database.query<LoggedRow>(FIND, [requestId, daysAgo]);
      if (rows.length > 0) return rows.map((row) => matchOf(requestId, row));
    }
    return [];
  }
}

// Days are counted by the database's clock. The first day lies in the future, because a gateway's clock may be ahead.
const FIND = `
  select account_id as "accountId", at, operation, subject, status from request_log
  where request_id = $1 and at >= now() - $2::int * interval '1 day'
    and at < now() + (1 - $2::int) * interval '1 day'
  limit 1`;

function matchOf(requestId: string, { accountId, at, ...request }: LoggedRow): AccountMatch {
  const { operation, subject, status } = request;
  const what = [operation, subject].filter(Boolean).join(' ');
  return { accountId, matched: `request ${requestId} (${what}, ${status}, ${at.toISOString()})` };
}
