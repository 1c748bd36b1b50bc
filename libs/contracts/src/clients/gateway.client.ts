import { REQUESTS, type RequestsAnswer } from '../operations/usage/requests.js';
import type { KeyUsageAnswer, UsageAnswer, UsageOverview } from '../operations/usage/usage.js';
import type { ServiceHttp } from './service-http.js';

export class GatewayClient {
  constructor(private readonly http: ServiceHttp) {}

  /** Returns requests and credits by operation and day; by default, for the last 30 days including today. */
  async usage(accountId: string, days: AskedDays = {}): Promise<UsageAnswer> {
    return this.http.call('GET', `/internal/usage${queryOf(days)}`, { accountId });
  }

  /** Returns requests and credits by key, with response times but without jobs or monitors, for the days of `usage`. */
  async usageByKey(accountId: string, days: AskedDays = {}): Promise<KeyUsageAnswer> {
    return this.http.call('GET', `/internal/usage/keys${queryOf(days)}`, { accountId });
  }

  async usageOverview(accountId: string): Promise<UsageOverview> {
    return this.http.call('GET', '/internal/usage/overview', { accountId });
  }

  /**
   * Lists requests of an account. @param values the operation's parameters, as its reader returns them.
   * @param isDownload whether a page has as many rows as suit a download, whatever `page_size` says.
   */
  async requests(
    accountId: string,
    values: Readonly<Record<string, unknown>>,
    isDownload = false,
  ): Promise<RequestsAnswer> {
    const given = Object.entries(values).filter(([, value]) => value !== undefined);
    const query = new URLSearchParams(
      given.map(([name, value]): [string, string] => [name, String(value)]),
    );
    const path = isDownload ? `${REQUESTS.owner.path}/download` : REQUESTS.owner.path;
    return this.http.call('GET', `${path}?${query}`, { accountId });
  }
}

/** First and last day, `YYYY-MM-DD`. */
export interface AskedDays {
  from?: string;
  to?: string;
}

function queryOf(days: AskedDays): string {
  const given = Object.entries(days).filter(([, day]) => day !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given as [string, string][])}`;
}
