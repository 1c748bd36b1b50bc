import { Injectable } from '@nestjs/common';
import type { LoggedRequest } from '#libs/contracts';
import { LogReads } from './log-reads.js';

/**
 * The filters of a list of requests of one account on certain days. `before` limits it to rows that are older than a
 * given time and id.
 */
export interface RequestsOfDays {
  from: Date;
  until: Date;
  operation?: string;
  keyId?: string;
  statuses?: [number, number];
  /** The subject as requested, alone or among the names of a bulk request. */
  subject?: string;
  requestId?: string;
  /** True for requests that cost credits, false for those that did not. */
  isCharged?: boolean;
  before?: readonly string[];
  limit: number;
}

type RequestRow = Omit<LoggedRequest, 'at'> & { at: Date };

/** An id that sorts after every request id. */
const LAST_ID = '~';

@Injectable()
export class RequestsRepository {
  constructor(private readonly reads: LogReads) {}

  /**
   * Lists requests, newest first. Indexes of the day's partition find the rows of the account, the key or the
   * rejections, so the cost depends on the number of returned rows. Filters without an index (operation, subject,
   * credits) also read the rows that do not match.
   * @throws the errors of `LogReads.query`.
   */
  async list(accountId: string, wanted: RequestsOfDays): Promise<LoggedRequest[]> {
    const { from, until, before = [until.toISOString(), LAST_ID], limit } = wanted;
    const parameters: unknown[] = [accountId, from, until, ...before, limit];
    const filters: [column: string, comparison: string, value: unknown][] = [
      ['operation', '=', wanted.operation],
      ['key_id', '=', wanted.keyId],
      ['status', '>=', wanted.statuses?.[0]],
      ['status', '<=', wanted.statuses?.[1]],
      [`', ' || subject || ', '`, 'like', wanted.subject && `%, ${literal(wanted.subject)}, %`],
      ['request_id', '=', wanted.requestId],
      ['credits', wanted.isCharged ? '>' : '=', wanted.isCharged === undefined ? undefined : 0],
    ];
    const given = filters
      .filter(([, , value]) => value !== undefined)
      .map(
        ([column, comparison, value]) => `and ${column} ${comparison} $${parameters.push(value)}`,
      );
    const rows = await this.reads.query<RequestRow>(accountId, listOf(given), parameters);
    return rows.map(({ at, ...row }) => ({ ...row, at: at.toISOString() }));
  }
}

const literal = (text: string) => text.replaceAll(/[\\%_]/g, String.raw`\$&`);

/** @param filters SQL conditions from this file, without any input. */
const listOf = (filters: string[]) => `
  select request_id, at, key_id, operation, subject, status, outcome, credits, duration_ms, requests
  from request_log
  where account_id = $1 and at >= $2 and at < $3 and at <= $4::timestamptz
    and (at, request_id) < ($4::timestamptz, $5::text) ${filters.join(' ')}
  order by at desc, request_id desc limit $6`;
