import { Injectable } from '@nestjs/common';
import { ACCOUNT_REQUESTS, Pages, type RequestsAnswer, type ValuesOf } from '#libs/contracts';
import { DAY_MS } from '#libs/platform';
import { RequestsRepository } from './requests.repository.js';

/** Lists an account's requests, one by one, from the request log. */
@Injectable()
export class RequestsService {
  constructor(
    private readonly repository: RequestsRepository,
    private readonly pages: Pages,
  ) {}

  /** @throws InvalidRequest for a cursor that is not ours. */
  async list(
    values: ValuesOf<(typeof ACCOUNT_REQUESTS)['parameters']>,
    accountId: string,
  ): Promise<RequestsAnswer> {
    const { day, operation, key_id, status, subject, request_id, charged } = values;
    const asked = this.pages.asked(ACCOUNT_REQUESTS, values);
    const from = new Date(`${day}T00:00:00Z`);
    const rows = await this.repository.list(accountId, {
      from,
      until: new Date(from.getTime() + DAY_MS),
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

/** First and last of a status or of its class. */
function statusesOf(status = ''): [number, number] | undefined {
  if (status === '') return undefined;
  return [Number(status.replace('xx', '00')), Number(status.replace('xx', '99'))];
}
