import { Injectable } from '@nestjs/common';
import type { LoggedRequest } from '#libs/contracts';
import { Database } from '#libs/database';

/** Requests of one account on one day, in a page that ends before a row named by its time and id. */
export interface RequestsOfDay {
  from: Date;
  until: Date;
  operation?: string;
  before?: string[];
  limit: number;
}

type RequestRow = Omit<LoggedRequest, 'at'> & { at: Date };

/** Above every request id. */
const LAST_ID = '~';

/** Single rows of the request log. */
@Injectable()
export class RequestsRepository {
  constructor(private readonly database: Database) {}

  /** Newest first. Costs what it returns: the index of account and time of the day's partition. */
  async list(
    accountId: string,
    { from, until, operation, before = [until.toISOString(), LAST_ID], limit }: RequestsOfDay,
  ): Promise<LoggedRequest[]> {
    const rows = await this.database.query<RequestRow>(LIST, [
      accountId,
      from,
      until,
      operation ?? null,
      ...before,
      limit,
    ]);
    return rows.map(({ at, ...row }) => ({ ...row, at: at.toISOString() }));
  }
}

const LIST = `
  select request_id, at, key_id, operation, subject, status, outcome, credits, duration_ms
  from request_log
  where account_id = $1 and at >= $2 and at < $3 and at <= $5::timestamptz
    and ($4::text is null or operation = $4) and (at, request_id) < ($5::timestamptz, $6::text)
  order by at desc, request_id desc limit $7`;
