import { REQUESTS, type RequestsAnswer } from '../operations/usage/requests.js';
import type { UsageAnswer } from '../operations/usage/usage.js';
import type { ServiceHttp } from './service-http.js';

/** What the gateway tells the dashboard of an account, from the request log. */
export class GatewayClient {
  constructor(private readonly http: ServiceHttp) {}

  /** Of the last 30 days, today included. */
  async usage(accountId: string): Promise<UsageAnswer> {
    return this.http.call('GET', '/internal/usage', { accountId });
  }

  /** @param values parameters of the row, as its reader gives them. */
  async requests(
    accountId: string,
    values: Readonly<Record<string, unknown>>,
  ): Promise<RequestsAnswer> {
    const given = Object.entries(values).filter(([, value]) => value !== undefined);
    const query = new URLSearchParams(
      given.map(([name, value]): [string, string] => [name, String(value)]),
    );
    return this.http.call('GET', `${REQUESTS.owner.path}?${query}`, { accountId });
  }
}
