import { Pool } from 'undici';
import { EntitlementClient } from '#libs/contracts';
import { DAY_MS, SystemClock, newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import { LookupStandIn } from '../stand-ins/lookup-stand-in.js';
import { Customer } from '../stories/customer.js';
import { type BenchOptions, type BenchReport, inLanes, openCluster } from './bench.js';
import { cleanup } from './cleanup.js';
import { connectTo } from '../stories/connections.js';

const GATEWAYS = 3;
const CLIENTS = 64;
const REQUESTS = 10_000;
const CREDITS = 5_000;
const TEST_LIMIT = 1_000_000;
const REASON = 'a benchmark';

/**
 * Checks the last credits of a customer: 64 clients use one key at three gateways, and send twice as many requests for
 * distinct names as there are credits. Each repetition uses a new customer, for whom exactly as many requests must be
 * served as there are credits. A stand-in for lookup answers every name at once.
 */
export async function measure({ isShort }: BenchOptions): Promise<BenchReport> {
  const repetitions = isShort ? 3 : 20;
  const lookup = new LookupStandIn();
  await lookup.start();
  cleanup.add(() => lookup.stop());
  const { settings, facts, gateways, dashboardUrl, mailbox } = await openCluster({
    gateways: GATEWAYS,
    environment: {
      gateway: { LOOKUP_URL: lookup.url, GATEWAY_LOOP_DELAY_MAX_MS: '60000' },
      // Each customer has a different network.
      dashboard: { DASHBOARD_TRUSTED_PROXIES: '127.0.0.0/8' },
    },
  });
  const pools = gateways.map(({ apiUrl }) => new Pool(apiUrl, { connections: CLIENTS }));
  cleanup.add(() => Promise.all(pools.map((pool) => pool.destroy())));
  const secret = settings.operator().SERVICE_SECRET!;
  const terms = { url: facts.entitlement_url, secret, clock: new SystemClock() };
  const entitlementAs = (caller: 'cli' | 'gateway') => {
    const http = connectTo('entitlement', terms, caller);
    cleanup.add(() => http.close());
    return new EntitlementClient(http);
  };
  const [operator, gateway] = [entitlementAs('cli'), entitlementAs('gateway')];
  const origins = { apiUrl: gateways[0].apiUrl, dashboardUrl, mailbox };
  let [exact, elapsedMs] = [0, 0];
  for (let repetition = 1; repetition <= repetitions; repetition++) {
    const email = `storm${repetition}@bench.example`;
    const customer = new Customer(origins, email, 'Ada', `198.18.${repetition}.1`);
    await customer.joinWithCredits();
    const { accountId, key } = customer;
    const amount = CREDITS - (await gateway.balance(accountId)).spendable;
    await operator.grantByOperator(accountId, { adjustmentId: newId(), amount, reason: REASON });
    const until = new Date(Date.now() + DAY_MS).toISOString();
    const override = { name: 'live', value: TEST_LIMIT, reason: REASON, until } as const;
    await operator.overrideLimit(accountId, override);
    let [served, free] = [0, 0];
    const startedMs = performance.now();
    await inLanes(Array(REQUESTS).keys(), CLIENTS, async (n) => {
      const path = `/v2.0/whois/live?domainName=n${n}x${repetition}.example&apiKey=${key}`;
      const answer = await pools[n % GATEWAYS].request({ method: 'GET', path });
      await answer.body.dump();
      if (answer.statusCode !== 200) return;
      served++;
      if (answer.headers['x-credits-cost'] !== '1') free++;
    });
    elapsedMs += performance.now() - startedMs;
    await waitFor('exactly what was served to be booked', async () => {
      const { grants } = await gateway.balance(accountId);
      return grants.reduce((sum, { consumed }) => sum + consumed, 0) === served - free;
    });
    if (served === CREDITS && free === 0) exact++;
    process.stderr.write(`    repetition ${repetition}: ${served} served, ${free} of them free\n`);
  }
  const what = `storm, ${GATEWAYS} gateways: repetitions that served and booked exactly ${CREDITS} of ${REQUESTS}`;
  const target = `= ${repetitions}`;
  const rows = [
    { what, value: exact, unit: `of ${repetitions}`, target, ok: exact === repetitions },
    { what: 'storm: rate', value: (repetitions * REQUESTS * 1000) / elapsedMs, unit: 'req/s' },
  ];
  return { title: 'storm: the last credits, at several gateways', rows };
}
