import { join } from 'node:path';
import type { OrderAnswer } from '#libs/contracts';
import { waitFor } from '#test/environment';
import { startCluster } from '../../../apps/cluster/src/cluster.js';
import type { PaymentsSimulator } from '../../../apps/simulators/src/payments/payments-simulator.js';
import { startSolo } from '../../../apps/solo/src/solo.js';
import { Customer, type Origins } from '../../stories/customer.js';
import { newFolder } from '../bench.js';
import { cleanup } from '../cleanup.js';

/** A limit so high that the gateway does not shed load, because the bench measures a busy event loop. */
const UNHURRIED = { GATEWAY_LOOP_DELAY_MAX_MS: '60000' };
/** Lets the bench give each buyer a network of its own with `X-Forwarded-For`. */
const PROXIED = { DASHBOARD_TRUSTED_PROXIES: '127.0.0.0/8' };

/** An installation with a simulated Stripe, in which people buy credits. */
export class Shop {
  private lookups = 0;

  private constructor(private readonly installation: Origins & { payments?: PaymentsSimulator }) {}

  /** Runs every service in this process. */
  static async inSolo(): Promise<Shop> {
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
    return new Shop(await starting);
  }

  /** Runs each service in its own process, with Kafka between the services. */
  static async onKafka(): Promise<Shop> {
    const starting = startCluster({
      folder: join(newFolder('money'), 'cluster'),
      payments: 'simulated',
      environment: { gateway: UNHURRIED, dashboard: PROXIED },
    });
    // Registered before the start, so that a signal during the start leaves nothing behind.
    cleanup.add(async () => (await starting).stop());
    const { gateways, dashboardUrl, mailbox, payments } = await starting;
    return new Shop({ apiUrl: gateways[0].apiUrl, dashboardUrl, mailbox, payments });
  }

  async signUp(place: number): Promise<Customer> {
    const email = `buyer${place}@bench.example`;
    const buyer = new Customer(this.installation, email, 'Ada', `198.18.${place}.1`);
    await buyer.join();
    return buyer;
  }

  /** @returns the milliseconds from the payment until a lookup with the key is answered under the higher limit. */
  async buy(buyer: Customer, wish: object): Promise<number> {
    // The test key has the limits of its account but causes no registry queries.
    const limitNow = () => limitOf(buyer, 'registered.test', buyer.testKey);
    const before = await waitFor('the previous limit', limitNow);
    const body = { ...wish, processor: 'stripe' };
    const ordered = await buyer.call('POST', '/api/orders', body);
    if (ordered.status !== 201) throw new Error(JSON.stringify(ordered.body));
    const page = new URL((ordered.body as OrderAnswer).redirect_url as string);
    const paidMs = performance.now();
    this.installation.payments!.sessions.pay(page.pathname.split('/').at(-1) as string);
    await waitFor('the limit of the purchase', async () => (await limitNow()) > before);
    const limit = await limitOf(buyer, `bought-${++this.lookups}.com`);
    const ms = performance.now() - paidMs;
    if (limit <= before) throw new Error(`the key has the limit ${limit}`);
    return ms;
  }
}

/** Returns the limit under which a lookup is answered, or 0 while the key is unknown. */
async function limitOf(buyer: Customer, name: string, key = buyer.key): Promise<number> {
  const { headers } = await buyer.lookUp(name, 2, key);
  return Number(headers.get('x-ratelimit-allowed-requests') ?? 0);
}
