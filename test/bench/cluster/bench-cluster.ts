import { join } from 'node:path';
import { EntitlementClient, type OverridableLimit, ServiceHttp } from '#libs/contracts';
import { auditorRole, withClient } from '#libs/database';
import { ServiceTokens, SystemClock, newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import { type RunningCluster, startCluster } from '../../../apps/cluster/src/cluster.js';
import type { ClusterOptions } from '../../../apps/cluster/src/cluster-options.js';
import {
  ServiceProxy,
  type BrowserCaller,
} from '../../../apps/dashboard/src/service-calls/service-proxy.js';
import { requireSession } from '../../../apps/dashboard/src/service-calls/sessions.js';
import { type LookupAnswer, LookupStandIn } from '../../stand-ins/lookup-stand-in.js';
import { newFolder } from '../bench.js';
import { cleanup } from '../cleanup.js';
import { Fleet } from './load.js';

export const GATEWAYS = 3;
const YEAR_2100 = '2100-01-01T00:00:00Z';
const REASON = 'a benchmark';
const ANSWER: LookupAnswer = {
  status: 200,
  headers: { 'x-outcome': 'delivered', 'x-served-from': 'live' },
  body: '{"status":true,"domain_name":"example.com"}',
};

/** A cluster with three gateways and one account whose credits and limits the figure decides. */
export class BenchCluster {
  readonly cluster: RunningCluster;
  readonly fleet: Fleet;
  accountId: string;
  /** Answers that lookup gave; each is charged once at most. */
  lookedUp = 0;
  private readonly operator: EntitlementClient;
  private readonly customer: EntitlementClient;
  private readonly accounts: ServiceProxy;
  private readonly visitor: BrowserCaller = { clientAddress: '127.0.0.1', requestId: newId() };
  private readonly services: ServiceHttp[];

  private constructor(cluster: RunningCluster) {
    this.cluster = cluster;
    const tokens = new ServiceTokens(
      cluster.settings.operator().SERVICE_SECRET!,
      new SystemClock(),
    );
    const { account_url, entitlement_url, demo } = cluster.facts;
    this.services = (['cli', 'gateway'] as const).map(
      (caller) =>
        new ServiceHttp({ url: entitlement_url, caller, audience: 'entitlement', tokens }),
    );
    [this.operator, this.customer] = this.services.map((http) => new EntitlementClient(http));
    this.accounts = new ServiceProxy({ service: 'account', url: account_url, tokens });
    this.fleet = new Fleet(
      cluster.gateways.map(({ apiUrl }) => apiUrl),
      demo!.live_key,
    );
  }

  /** Lookup is a stand-in of the bench's process, so that what is measured is everything but it. */
  static async open(options: Partial<ClusterOptions> = {}): Promise<BenchCluster> {
    const folder = newFolder('cluster');
    const lookup = new LookupStandIn();
    await lookup.start();
    cleanup.add(async () => lookup.stop());
    const gateway = { LOOKUP_URL: lookup.url, GATEWAY_LOOP_DELAY_MAX_MS: '60000' };
    const starting = startCluster({
      folder: join(folder, 'cluster'),
      gateways: GATEWAYS,
      environment: { gateway },
      ...options,
    });
    // From now on, so that a signal during the start leaves nothing behind either.
    cleanup.add(async () => (await starting).stop());
    const cluster = await starting;
    const field = new BenchCluster(cluster);
    lookup.answer = () => {
      field.lookedUp++;
      return ANSWER;
    };
    cleanup.add(async () => field.close());
    await field.logIn();
    return field;
  }

  /** Replaces one limit and waits until every gateway knows. */
  async setLimit(name: OverridableLimit, value: number): Promise<void> {
    const override = { name, value, reason: REASON, until: YEAR_2100 };
    await this.operator.overrideLimit(this.accountId, override);
    if (name !== 'live') return;
    for (let gateway = 0; gateway < GATEWAYS; gateway++) {
      const knows = async () => (await this.fleet.ask(gateway)).limit === value;
      await waitFor('the limit at every gateway', knows, 20_000);
    }
  }

  async grant(amount: number): Promise<void> {
    const grant = { adjustmentId: newId(), amount, reason: REASON };
    await this.operator.grantByOperator(this.accountId, grant);
  }

  /** Credits used up, and those that are left whether or not a gateway holds them. */
  async credits(): Promise<{ consumed: number; left: number; debt: number }> {
    const { spendable, reserved, debt, grants } = await this.customer.balance(this.accountId);
    const consumed = grants.reduce((sum, grant) => sum + grant.consumed, 0);
    return { consumed, left: spendable + reserved, debt };
  }

  /** Uses up what is there, then grants. */
  async haveExactly(amount: number): Promise<void> {
    for (;;) {
      const { left } = await this.settledCredits();
      if (left === 0) break;
      await this.fleet.hammer({ clients: 64, requests: left });
    }
    if (amount > 0) await this.grant(amount);
  }

  /** What was charged, once no gateway has anything left to say: the same for two seconds. */
  async settledCredits(): Promise<{ consumed: number; left: number; debt: number }> {
    let [last, sinceMs] = [await this.credits(), performance.now()];
    await waitFor(
      'all credits to be settled',
      async () => {
        const now = await this.credits();
        if (now.consumed !== last.consumed) [last, sinceMs] = [now, performance.now()];
        return performance.now() - sinceMs > 2_000;
      },
      60_000,
    );
    return last;
  }

  /** Credits gateways spent that nobody could be charged for any more, as they were back and spent by others. */
  async uncovered(): Promise<number> {
    const url = this.cluster.settings.databaseUrl(auditorRole('entitlement'));
    return withClient(url, async (client) => {
      const { rows } = await client.query<{ credits: number }>(
        'select coalesce(sum(unbilled), 0)::int as credits from leases where account_id = $1',
        [this.accountId],
      );
      return rows[0].credits;
    });
  }

  async createKey(): Promise<{ id: string; apiKey: string }> {
    const body = { name: `bench ${newId()}`, environment: 'live' };
    const { id, key } = await this.call('POST', '/keys', body);
    return { id, apiKey: key };
  }

  async revokeKey(id: string): Promise<void> {
    await this.call('DELETE', `/keys/${id}`);
  }

  private async logIn(): Promise<void> {
    const { email, password } = this.cluster.facts.demo!;
    await this.call('POST', '/log-in', { email, password });
    this.accountId = (await requireSession(this.accounts, this.visitor)).accountId;
  }

  private async call(
    method: 'POST' | 'DELETE',
    path: string,
    body?: object,
  ): Promise<Record<string, string>> {
    const { visitor } = this;
    const answer = await this.accounts.call({
      method,
      path: `/internal/dashboard${path}`,
      visitor,
      body,
    });
    if (answer.refusal) throw answer.refusal;
    if (answer.beginsSession) visitor.sessionToken = answer.beginsSession;
    return answer.body as Record<string, string>;
  }

  private async close(): Promise<void> {
    await Promise.all([this.fleet, this.accounts, ...this.services].map((part) => part.close()));
  }
}
