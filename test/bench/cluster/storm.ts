import { join } from 'node:path';
import { Pool } from 'undici';
import { EntitlementClient, ServiceHttp } from '#libs/contracts';
import { withClient } from '#libs/database';
import { ServiceTokens, SystemClock, newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import { startCluster } from '../../../apps/cluster/src/cluster.js';
import { type LookupAnswer, LookupStandIn } from '../../stand-ins/lookup-stand-in.js';
import { type BenchOptions, type BenchReport, inLanes, newFolder } from '../bench.js';
import { cleanup } from '../cleanup.js';

const GATEWAYS = 3;
const CLIENTS = 64;
const REQUESTS = 10_000;
const CREDITS = 5_000;
const TEST_LIMIT = 1_000_000;
const YEAR_2100 = '2100-01-01T00:00:00Z';
const REASON = 'a benchmark';
const ANSWER: LookupAnswer = {
  status: 200,
  headers: { 'x-outcome': 'delivered', 'x-served-from': 'live' },
  body: '{"status":true,"domain_name":"example.com"}',
};

/** The answer to one request. */
interface Answered {
  status: number;
  /** The cost in credits that it reports. */
  cost: number;
  /** The account's limit per minute that it reports. */
  limit: number;
}

/**
 * 64 clients use one key at three gateways and send twice as many requests for distinct names as there are credits.
 * Each repetition must serve exactly as many requests as there are credits. Lookup is a stand-in that answers every
 * name at once.
 */
export async function measure({ isShort }: BenchOptions): Promise<BenchReport> {
  const repetitions = isShort ? 3 : 20;
  const field = await StormField.open();
  const [served, off]: [number[], number[]] = [[], []];
  let [elapsedMs, unserved] = [0, 0];
  for (let repetition = 0; repetition < repetitions; repetition++) {
    await field.haveExactly(CREDITS);
    const before = await field.credits();
    const startedMs = performance.now();
    const answers = await field.hammer(REQUESTS);
    elapsedMs += performance.now() - startedMs;
    const paid = answers.filter(({ status, cost }) => status === 200 && cost === 1).length;
    const free = answers.filter(({ status, cost }) => status === 200 && cost === 0).length;
    unserved += answers.filter(({ status }) => status !== 200 && status !== 402).length;
    const booked = (await field.settledCredits()).consumed - before.consumed;
    served.push(paid + free);
    off.push(Math.abs(paid - CREDITS) + free + Math.abs(booked - CREDITS));
    process.stderr.write(
      `    repetition ${repetition + 1}: ${paid} served, ${free} free, ${booked} booked\n`,
    );
  }
  const exact = off.filter((wrong) => wrong === 0).length;
  const rows = [
    {
      what: `storm, ${GATEWAYS} gateways: repetitions that served and booked exactly ${CREDITS} of ${REQUESTS}`,
      value: exact,
      unit: `of ${repetitions}`,
      target: `= ${repetitions}`,
      ok: exact === repetitions,
    },
    { what: 'storm: most served in a repetition', value: Math.max(...served), unit: 'requests' },
    { what: 'storm: answers other than 200 and 402', value: unserved, unit: 'requests' },
    { what: 'storm: rate', value: (repetitions * REQUESTS * 1000) / elapsedMs, unit: 'req/s' },
  ];
  return { title: 'storm: the last credits, at several gateways', rows };
}

/** A cluster with three gateways and a demo account, whose credits the bench grants. */
class StormField {
  private sent = 0;

  private constructor(
    private readonly gateways: readonly Pool[],
    private readonly apiKey: string,
    private readonly accountId: string,
    /** Clients with an operator's and a gateway's token. */
    private readonly entitlement: Record<'cli' | 'gateway', EntitlementClient>,
  ) {}

  static async open(): Promise<StormField> {
    const lookup = new LookupStandIn();
    lookup.answer = () => ANSWER;
    await lookup.start();
    cleanup.add(async () => lookup.stop());
    const starting = startCluster({
      folder: join(newFolder('cluster'), 'cluster'),
      gateways: GATEWAYS,
      environment: { gateway: { LOOKUP_URL: lookup.url, GATEWAY_LOOP_DELAY_MAX_MS: '60000' } },
    });
    // Registered before the start, so that a signal during the start leaves nothing behind.
    cleanup.add(async () => (await starting).stop());
    const { settings, facts, gateways } = await starting;
    const tokens = new ServiceTokens(settings.operator().SERVICE_SECRET!, new SystemClock());
    const clientOf = (caller: 'cli' | 'gateway') => {
      const url = facts.entitlement_url;
      const http = new ServiceHttp({ url, caller, audience: 'entitlement', tokens });
      cleanup.add(async () => http.close());
      return new EntitlementClient(http);
    };
    const entitlement = { cli: clientOf('cli'), gateway: clientOf('gateway') };
    const pools = gateways.map(({ apiUrl }) => new Pool(apiUrl, { connections: CLIENTS }));
    cleanup.add(async () => Promise.all(pools.map(async (pool) => pool.destroy())));
    const { rows } = await withClient(settings.superuserUrl, (client) =>
      client.query<{ id: string }>('select id from account.accounts'),
    );
    const field = new StormField(pools, facts.demo!.live_key, rows[0].id, entitlement);
    await field.raiseLimit();
    return field;
  }

  /** Sends this number of requests to the gateways in turn, without retries. */
  async hammer(requests: number): Promise<Answered[]> {
    const answers: Answered[] = [];
    await inLanes(Array(requests).keys(), CLIENTS, async (number) => {
      answers.push(await this.ask(number % GATEWAYS));
    });
    return answers;
  }

  /** Credits used, and credits left whether or not a gateway has leased them. */
  async credits(): Promise<{ consumed: number; left: number }> {
    const { spendable, reserved, grants } = await this.entitlement.gateway.balance(this.accountId);
    const consumed = grants.reduce((sum, grant) => sum + grant.consumed, 0);
    return { consumed, left: spendable + reserved };
  }

  /** Uses up all existing credits, then grants the amount. */
  async haveExactly(amount: number): Promise<void> {
    for (;;) {
      const { left } = await this.settledCredits();
      if (left === 0) break;
      await this.hammer(left);
    }
    const grant = { adjustmentId: newId(), amount, reason: REASON };
    await this.entitlement.cli.grantByOperator(this.accountId, grant);
  }

  /** The credits once every gateway has settled: they have not changed for two seconds. */
  async settledCredits(): Promise<{ consumed: number; left: number }> {
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

  /** A request for a name that was never requested before. */
  private async ask(gateway: number): Promise<Answered> {
    const path = `/v2.0/whois/live?domainName=n${process.pid}x${this.sent++}.example&apiKey=${this.apiKey}`;
    const { statusCode, headers, body } = await this.gateways[gateway].request({
      method: 'GET',
      path,
    });
    await body.dump();
    return {
      status: statusCode,
      cost: Number(headers['x-credits-cost'] ?? 0),
      limit: Number(/q=(\d+)/.exec(String(headers['ratelimit-policy']))?.[1] ?? 0),
    };
  }

  private async raiseLimit(): Promise<void> {
    const override = { name: 'live', value: TEST_LIMIT, reason: REASON, until: YEAR_2100 } as const;
    await this.entitlement.cli.overrideLimit(this.accountId, override);
    for (let gateway = 0; gateway < GATEWAYS; gateway++) {
      const knows = async () => (await this.ask(gateway)).limit === TEST_LIMIT;
      await waitFor('the limit at every gateway', knows, 20_000);
    }
  }
}
