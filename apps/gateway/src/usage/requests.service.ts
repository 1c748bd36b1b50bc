import { Injectable } from '@nestjs/common';
import {
  ACCOUNT_REQUESTS,
  Pages,
  REQUEST_DAYS_MAX,
  type RequestsAnswer,
  type ValuesOf,
} from '#libs/contracts';
import { DAY_MS, InvalidRequest } from '#libs/platform';
import { RequestsRepository } from './requests.repository.js';

@Injectable()
export class RequestsService {
  constructor(
    private readonly repository: RequestsRepository,
    private readonly pages: Pages,
  ) {}

  /**
   * @throws InvalidRequest for an invalid cursor, days in the wrong order, or more than 31 days; the errors of
   *   `LogReads.query`.
   */
  async list(
    values: ValuesOf<(typeof ACCOUNT_REQUESTS)['parameters']>,
    accountId: string,
  ): Promise<RequestsAnswer> {
    const { day, from: first, operation, key_id, status, subject, request_id, charged } = values;
    const asked = this.pages.asked(ACCOUNT_REQUESTS, values);
    const last = startOf(day);
    const from = first === undefined ? last : startOf(first);
    if (from > last) throw new InvalidRequest([{ field: 'from', message: 'is after "day"' }]);
    if (last.getTime() - from.getTime() >= REQUEST_DAYS_MAX * DAY_MS) {
      const message = `must be less than ${REQUEST_DAYS_MAX} days before "day"`;
      throw new InvalidRequest([{ field: 'from', message }]);
    }
    const rows = await this.repository.list(accountId, {
      from,
      until: new Date(last.getTime() + DAY_MS),
      operation,
      keyId: key_id,
      statuses: statusesOf(status),
      subject,
      requestId: request_id,
      isCharged: charged,
      before: asked.after,
      limit: asked.limit,
    });
    const { items, paging } = asked.cut(rows, ({ at, request_id }) => [at, request_id]);
    return { status: true, requests: items, paging };
  }
}

const startOf = (day: string) => new Date(`${day}T00:00:00Z`);

/** Returns the first and the last status of a class such as `4xx`, or one status twice; undefined without a filter. */
function statusesOf(status = ''): [number, number] | undefined {
  if (status === '') return undefined;
  return [Number(status.replace('xx', '00')), Number(status.replace('xx', '99'))];
}
