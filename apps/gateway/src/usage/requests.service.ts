import { Injectable } from '@nestjs/common';
import type { ACCOUNT_REQUESTS, RequestsAnswer, ValuesOf } from '#libs/contracts';
import { readCursor, toPage } from '#libs/database';
import { DAY_MS, InvalidRequest } from '#libs/platform';
import { RequestsRepository } from './requests.repository.js';

const REQUESTS_PER_PAGE = 100;
/** Of a year that PostgreSQL knows, too. */
const FOUR_DIGIT_YEAR = /^[1-9]\d{3}-/;
const REQUEST_ID = /^[\x21-\x7e]{1,200}$/;

/** Lists an account's requests, one by one, from the request log. */
@Injectable()
export class RequestsService {
  constructor(private readonly repository: RequestsRepository) {}

  /** @throws InvalidRequest for a cursor that is not ours. */
  async list(
    { day, operation, key_id, status, cursor }: ValuesOf<(typeof ACCOUNT_REQUESTS)['parameters']>,
    accountId: string,
  ): Promise<RequestsAnswer> {
    const from = new Date(`${day}T00:00:00Z`);
    const rows = await this.repository.list(accountId, {
      from,
      until: new Date(from.getTime() + DAY_MS),
      operation,
      keyId: key_id,
      statuses: statusesOf(status),
      before: positionOf(cursor),
      limit: REQUESTS_PER_PAGE + 1,
    });
    const page = toPage(rows, REQUESTS_PER_PAGE, ({ at, request_id }) => [at, request_id]);
    const next_cursor = page.nextCursor ?? null;
    return {
      status: true,
      requests: page.items,
      paging: { has_next: next_cursor !== null, next_cursor },
    };
  }
}

/** First and last of a status or of its class. */
function statusesOf(status = ''): [number, number] | undefined {
  if (status === '') return undefined;
  return [Number(status.replace('xx', '00')), Number(status.replace('xx', '99'))];
}

const isInstant = (text: string) => FOUR_DIGIT_YEAR.test(text) && new Date(text).toJSON() === text;

/** Reads a cursor: time and id of a request. */
function positionOf(cursor: string | undefined): string[] | undefined {
  if (cursor === undefined) return undefined;
  const values = readCursor(cursor, 2);
  if (values && isInstant(values[0]) && REQUEST_ID.test(values[1])) return values;
  throw new InvalidRequest([{ field: 'cursor', message: 'is not a valid cursor' }]);
}
