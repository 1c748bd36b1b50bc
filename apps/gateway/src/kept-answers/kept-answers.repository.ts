import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '#libs/database';
import type { KeyedRequest } from '../context/keyed-request.js';

export type KeyHolder =
  | { is: 'this' }
  | { is: 'running' }
  | { is: 'another' }
  | { is: 'answered'; outcome: string; body: Buffer };

export interface KeptAnswer {
  outcome: string;
  body: Buffer;
  /**
   * Whether nothing was charged for the answer. The column is named `is_test`, because it first marked only answers to
   * test keys.
   */
  isFree: boolean;
}

interface HolderRow {
  is_begun: boolean;
  request_hash: Buffer | null;
  outcome: string | null;
  body: Buffer | null;
}

@Injectable()
export class KeptAnswersRepository {
  constructor(private readonly database: Database) {}

  /**
   * Assigns the key to this request, unless another request has it.
   * @returns whether this request has the key; otherwise, whether the other request is identical,
   *   and whether it has an answer.
   */
  async begin(accountId: string, request: KeyedRequest): Promise<KeyHolder> {
    const { key, requestHash, requestId, begunAt, runsUntil, keptSince } = request;
    const [row] = await this.database.query<HolderRow>(BEGIN, [
      accountId,
      key,
      requestHash,
      requestId,
      begunAt,
      runsUntil,
      keptSince,
    ]);
    if (row.is_begun) return { is: 'this' };
    // This statement does not see a row that another request inserts at the same moment.
    if (row.request_hash === null) return { is: 'running' };
    if (!row.request_hash.equals(requestHash)) return { is: 'another' };
    if (row.body === null) return { is: 'running' };
    return { is: 'answered', outcome: row.outcome!, body: row.body };
  }

  /** Stores the answer, if the request still has its key. */
  async keep(
    accountId: string,
    { key, requestId }: KeyedRequest,
    { outcome, body, isFree }: KeptAnswer,
  ): Promise<void> {
    await this.database.query(
      `update kept_answers set outcome = $4, body = $5, is_test = $6
       where account_id = $1 and key = $2 and request_id = $3`,
      [accountId, key, requestId, outcome, body, isFree],
    );
  }

  /** Deletes the account's oldest free answers until the rest are within these limits. */
  async dropFreeAnswers(accountId: string, left: { count: number; bytes: number }): Promise<void> {
    await this.database.query(DROP_FREE_ANSWERS, [accountId, left.count, left.bytes]);
  }

  async release(accountId: string, { key, requestId }: KeyedRequest): Promise<void> {
    await this.database.query(
      'delete from kept_answers where account_id = $1 and key = $2 and request_id = $3',
      [accountId, key, requestId],
    );
  }

  async deleteAll(transaction: Transaction, accountId: string): Promise<void> {
    await transaction.query('delete from kept_answers where account_id = $1', [accountId]);
  }
}

/**
 * The SQL that begins a request. It can take over a key that has expired, or whose identical first
 * request died with its gateway.
 */
const BEGIN = `
  with begun as (
    insert into kept_answers as kept (account_id, key, request_hash, request_id, begun_at, runs_until)
    values ($1, $2, $3, $4, $5, $6)
    on conflict (account_id, key) do update set
      request_hash = excluded.request_hash, request_id = excluded.request_id, begun_at = excluded.begun_at,
      runs_until = excluded.runs_until, outcome = null, body = null
    where kept.begun_at < $7
      or (kept.body is null and kept.runs_until < $5 and kept.request_hash = excluded.request_hash)
    returning 1)
  select exists (select from begun) as is_begun, kept.request_hash, kept.outcome, kept.body
  from (values (1)) one left join kept_answers kept on kept.account_id = $1 and kept.key = $2`;

/**
 * SQL that counts only finished answers. The account's limit on concurrent requests bounds the number of unfinished
 * ones.
 */
const DROP_FREE_ANSWERS = `
  delete from kept_answers where account_id = $1 and key = any (array(
    select key from (
      select key, row_number() over newest as place, sum(length(body)) over newest as bytes
      from kept_answers where account_id = $1 and is_test and body is not null
      window newest as (order by begun_at desc, key rows unbounded preceding)) kept
    where place > $2 or bytes > $3))`;
