import { join } from 'node:path';
import type { OrderAnswer } from '#libs/contracts';
import { waitFor } from '#test/environment';
import { clusterAvailability } from '../../apps/cluster/src/cluster.js';
import type { PaymentsSimulator } from '../../apps/simulators/src/payments/payments-simulator.js';
import { startSolo } from '../../apps/solo/src/solo.js';
import { Customer, type Origins } from '../stories/customer.js';
import { type BenchReport, type BenchRow, newFolder, openCluster, timesRows } from './bench.js';
import { cleanup } from './cleanup.js';

type Shop = Origins & { payments?: PaymentsSimulator };

const PURCHASES = 60;
const SIGN_UPS_AT_ONCE = 5;
const CREDITS = 15_000;
const WISHES = {
  'a package': { product: 'package', credits: CREDITS },
  'an add-on': { product: 'subscription', sku: 'rate-limit-month', quantity: 1 },
} as const;
/** A limit so high that the gateway does not shed load, although the bench keeps its event loop busy. */
const UNHURRIED = { GATEWAY_LOOP_DELAY_MAX_MS: '60000' };
/** Lets the bench give each buyer a separate network with `X-Forwarded-For`. */
const PROXIED = { DASHBOARD_TRUSTED_PROXIES: '127.0.0.0/8' };

/** Measures how soon a purchase takes effect (`npm run bench money`). */
export async function measure(): Promise<BenchReport> {
  const title = 'money: from the payment to the key';
  const rows = await purchaseTimes(await openSolo(), { where: 'in solo', targetMs: 200 });
  await cleanup.run();
  const missing = clusterAvailability();
  if (missing !== undefined) return { title, rows, notRun: [`purchases on Kafka: ${missing}`] };
  const environment = { gateway: UNHURRIED, dashboard: PROXIED };
  const { gateways, ...cluster } = await openCluster({ payments: 'simulated', environment });
  const shop = { ...cluster, apiUrl: gateways[0].apiUrl };
  rows.push(...(await purchaseTimes(shop, { where: 'on Kafka', targetMs: 1_000 })));
  return { title, rows };
}

async function openSolo(): Promise<Shop> {
  const folder = newFolder('money');
  const starting = startSolo({
    dataFolder: folder,
    apiPort: 0,
    dashboardPort: 0,
    offline: true,
    overrides: { ...UNHURRIED, ...PROXIED },
    log: { path: join(folder, 'solo.log'), write: () => undefined },
  });
  cleanup.add(async () => (await starting).stop());
  return starting;
}

/** Each buyer starts with the trial's limit, and buys first a package and then an add-on. */
async function purchaseTimes(
  shop: Shop,
  { where, targetMs }: { where: string; targetMs: number },
): Promise<BenchRow[]> {
  const buyers: Customer[] = [];
  for (let first = 0; first < PURCHASES; first += SIGN_UPS_AT_ONCE) {
    const some = Array.from({ length: SIGN_UPS_AT_ONCE }, (_, at) => signUp(shop, first + at));
    buyers.push(...(await Promise.all(some)));
  }
  const rows: BenchRow[] = [];
  for (const [name, wish] of Object.entries(WISHES)) {
    const times: number[] = [];
    for (const buyer of buyers) times.push(await timeOf(shop, buyer, wish));
    const what = `${name} paid → the key has its limit, ${PURCHASES} times ${where}`;
    rows.push(...timesRows(what, times, targetMs));
  }
  for (const buyer of buyers) {
    const { body } = await buyer.call('GET', '/api/balance');
    if (body.spendable + body.reserved < CREDITS) throw new Error('a limit came without credits');
  }
  return rows;
}

async function signUp(shop: Shop, place: number): Promise<Customer> {
  const buyer = new Customer(shop, `buyer${place}@bench.example`, 'Ada', `198.18.${place}.1`);
  await buyer.join();
  return buyer;
}

/**
 * Checks the live key too, but does not count its lookup, most of whose time passes at the simulated registry.
 * @returns the milliseconds from the payment until an answer to the test key states the higher limit.
 */
async function timeOf({ payments }: Shop, buyer: Customer, wish: object): Promise<number> {
  // The test key has the limits of its account but causes no registry queries.
  const limitNow = () => limitOf(buyer, 'registered.test', buyer.testKey);
  const before = await waitFor('the previous limit', limitNow);
  const ordered = await buyer.call('POST', '/api/orders', { ...wish, processor: 'stripe' });
  if (ordered.status !== 201) throw new Error(JSON.stringify(ordered.body));
  const page = new URL((ordered.body as OrderAnswer).redirect_url as string);
  const paidMs = performance.now();
  payments!.sessions.pay(page.pathname.split('/').at(-1) as string);
  await waitFor('the limit of the purchase', async () => (await limitNow()) > before);
  const ms = performance.now() - paidMs;
  const limit = await limitOf(buyer, `bought-${++lookups}.com`);
  if (limit <= before) throw new Error(`the key has the limit ${limit}`);
  return ms;
}

let lookups = 0;

/** Returns the limit under which a lookup is answered, or 0 while the key is unknown. */
async function limitOf(buyer: Customer, name: string, key = buyer.key): Promise<number> {
  const { headers } = await buyer.lookUp(name, 2, key);
  return Number(headers.get('x-ratelimit-allowed-requests') ?? 0);
}
