import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CATALOGUE_VERSION,
  EntitlementClient,
  type OverridableLimit,
  type PaymentConfirmed,
  type ServiceHttp,
  TIERS,
} from '#libs/contracts';
import { bucketOf } from '#libs/messaging';
import { DAY_MS, SystemClock, freePorts, newId } from '#libs/platform';
import type { Settings } from '#libs/services';
import { type RunningCluster, startCluster } from '../../../apps/cluster/src/cluster.js';
import type { ClusterEnvironment } from '../../../apps/cluster/src/cluster-options.js';
import { ServiceProcess } from '../../../apps/cluster/src/processes/service-process.js';
import { TcpProxy } from '../../faults/tcp-proxy.js';
import { AccountBook } from './account-book.js';
import { Checker } from './checker.js';
import { Customer } from './customer.js';
import { eventually } from './patience.js';
import { connectTo } from '../../stories/connections.js';

/** Connections that can be made to fail: each with its app, and a pattern for the settings that contain its address. */
const CABLES = {
  'account-database': ['account', /DATABASE_URL$/],
  'entitlement-database': ['entitlement', /DATABASE_URL$/],
  'gateway-database': ['gateway', /DATABASE_URL$/],
  'gateway-account': ['gateway', /^ACCOUNT_URL$/],
  'gateway-entitlement': ['gateway', /^ENTITLEMENT_URL$/],
} as const;
export type Cable = keyof typeof CABLES | 'gateway-broker';

const GATEWAYS = 2;
const TIER = TIERS[0];
const UNLIMITED = 1_000_000;
const LOAD_CUSTOMERS = 3;
/** The lifetime of granted credits, which is longer than any clock offset in the matrix (25 h). */
const LASTS_MS = 7 * DAY_MS;
const DRAIN_NOTICE_MS = 1_500;

/**
 * The product as real processes, with a proxy in every connection that scenarios cut, the customers who use the
 * product, and the account book of everything that was reported to them.
 */
export class Installation {
  readonly book = new AccountBook();
  readonly checker: Checker;
  readonly regulars: Customer[] = [];
  isKept = false;
  private customers = 0;
  private operator: ServiceHttp;

  private constructor(
    readonly cluster: RunningCluster,
    readonly cables: Record<Cable, TcpProxy>,
    private readonly planned: ClusterEnvironment,
    readonly folder: string,
  ) {
    this.checker = new Checker(cluster.settings, this.book);
  }

  static async start(): Promise<Installation> {
    const folder = mkdtempSync(join(tmpdir(), 'prove-'));
    const [brokerPort] = await freePorts(1);
    const brokerCable = await TcpProxy.before({ host: '127.0.0.1', port: brokerPort });
    const cables = { 'gateway-broker': brokerCable } as Record<Cable, TcpProxy>;
    let planned: ClusterEnvironment = {};
    const cluster = await startCluster({
      folder,
      gateways: GATEWAYS,
      demoAccount: 'none',
      payments: 'simulated',
      broker: { proxied: { port: brokerPort, advertisedPort: brokerCable.address.port } },
      environment: async (settings) => {
        planned = settings;
        return laidThrough(settings, cables);
      },
    });
    const installation = new Installation(cluster, cables, planned, folder);
    try {
      await installation.settleIn();
      return installation;
    } catch (error) {
      await installation.stop();
      throw error;
    }
  }

  /** Returns a service's process. Scenarios can give it a different environment until its next restart. */
  process(name: string): ServiceProcess {
    return this.cluster.process(name) as ServiceProcess;
  }

  /** Creates another process of a service without starting it. The caller must end it. */
  further(app: string, name: string, changed: Settings): ServiceProcess {
    const logFile = join(this.folder, `${name}.log`);
    return new ServiceProcess({
      name,
      app,
      settings: { ...this.planned[app], ...changed },
      logFile,
    });
  }

  /** Deletes a gateway's journal, as if its machine were lost. */
  loseJournal(name: string): void {
    const path = this.planned[name].GATEWAY_JOURNAL as string;
    for (const suffix of ['', '.earlier', '.next']) rmSync(path + suffix, { force: true });
  }

  get apiOrigins(): string[] {
    return this.cluster.gateways.map(({ apiUrl }) => apiUrl);
  }

  newCustomer(): Customer {
    const { gateways, dashboardUrl, mailbox } = this.cluster;
    const [{ apiUrl }] = gateways;
    return new Customer({ apiUrl, dashboardUrl, mailbox }, this.book, ++this.customers);
  }

  /** Creates a customer with credits, and with a limit of live requests that is too high to matter. */
  async regular(credits = UNLIMITED): Promise<Customer> {
    const customer = this.newCustomer();
    await customer.join();
    await this.checker.registered(customer.accountId);
    await this.grant(customer.accountId, credits);
    await this.limit(customer.accountId);
    return customer;
  }

  /** Confirms a payment through billing's outbox, as billing does. @returns the payment's id. */
  async pay(accountId: string): Promise<string> {
    const paymentId = newId();
    const data = JSON.stringify(packageOf(paymentId));
    const event = [bucketOf(accountId), accountId, `payment:${paymentId}`, data];
    await eventually('the payment to be written', () => this.sql(CONFIRM, event));
    this.book.payments.push({ paymentId, credits: TIER.credits });
    return paymentId;
  }

  /** Grants credits by hand, repeating this until they are known to be granted. @returns the adjustment's id. */
  async grant(accountId: string, amount: number, lifeMs = LASTS_MS): Promise<string> {
    const adjustmentId = newId();
    const expiresAt = new Date(Date.now() + lifeMs).toISOString();
    const body = { adjustmentId, amount, reason: 'fault matrix', expiresAt };
    await eventually('a grant by hand', async () =>
      new EntitlementClient(this.operator).grantByOperator(accountId, body),
    );
    return adjustmentId;
  }

  /** Raises a limit of requests per minute, by default that of live requests, so far that it no longer matters. */
  async limit(accountId: string, name: OverridableLimit = 'live'): Promise<void> {
    const until = new Date(Date.now() + LASTS_MS).toISOString();
    const body = { name, value: UNLIMITED, reason: 'fault matrix', until };
    await eventually('a limit by hand', async () => {
      await new EntitlementClient(this.operator).overrideLimit(accountId, body);
      return true;
    });
  }

  /** Ends the time for a restoration, so that the next run of the erasure job erases the account. */
  async erase(accountId: string): Promise<void> {
    await this.sql(
      `update account.accounts set restore_until = now() - interval '1 s' where id = $1`,
      [accountId],
    );
    this.book.of(accountId).state = 'erased';
  }

  async stop(): Promise<void> {
    await this.operator?.close();
    await this.cluster.stop().catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
    for (const cable of Object.values(this.cables)) await cable.stop();
    if (!this.isKept) rmSync(this.folder, { recursive: true, force: true });
  }

  sql<T extends object>(text: string, values: unknown[] = []): Promise<T[]> {
    return this.checker.sql<T>(text, values);
  }

  /** Returns connections to a service, as operators' commands have them. The caller must close them. */
  connectTo(audience: 'entitlement' | 'worker'): ServiceHttp {
    const settings = this.cluster.settings.operator();
    const url = settings[`${audience.toUpperCase()}_URL`] as string;
    const secret = settings.SERVICE_SECRET as string;
    return connectTo(audience, { url, secret, clock: new SystemClock() });
  }

  private async settleIn(): Promise<void> {
    this.operator = this.connectTo('entitlement');
    for (let n = 0; n < LOAD_CUSTOMERS; n++) this.regulars.push(await this.regular());
  }
}

const CONFIRM = `
  insert into billing.outbox (id, bucket, key, aggregate, sequence, type, version, occurred_at, data)
  values (uuidv7(), $1, $2, $3, (extract(epoch from clock_timestamp()) * 1e6)::bigint,
    'billing.payment-confirmed', 1, clock_timestamp(), $4)`;

function packageOf(paymentId: string): PaymentConfirmed {
  const amountMicros = String(TIER.packageMicros);
  const line = {
    lineId: paymentId,
    kind: 'package',
    sku: `package-${TIER.name}`,
    quantity: 1,
    amountMicros,
    credits: String(TIER.credits),
    tier: TIER.name,
  } as const;
  const payment = { paymentId, orderId: paymentId, amountMicros, currency: 'USD' };
  return { ...payment, catalogueVersion: CATALOGUE_VERSION, lines: [line] };
}

/**
 * Creates the proxies that `cables` lacks, and returns the settings of each process that differ from the defaults:
 * addresses lead through the proxies.
 */
async function laidThrough(
  planned: ClusterEnvironment,
  cables: Record<Cable, TcpProxy>,
): Promise<ClusterEnvironment> {
  const changed: ClusterEnvironment = {
    dashboard: { DASHBOARD_TRUSTED_PROXIES: '127.0.0.0/8' },
    gateway: {
      // The port must be known before the broker starts, because the broker advertises it to clients.
      KAFKA_BROKERS: `127.0.0.1:${cables['gateway-broker'].address.port}`,
      GATEWAY_DRAIN_NOTICE_MS: String(DRAIN_NOTICE_MS),
      GATEWAY_TRUSTED_PROXIES: '127.0.0.0/8',
      // Two cores run all processes here, so a slow event loop does not mean overload.
      GATEWAY_LOOP_DELAY_MAX_MS: '5000',
    },
  };
  for (const [name, settings] of Object.entries(planned)) {
    for (const [cable, [app, setting]] of Object.entries(CABLES)) {
      for (const [key, url] of Object.entries(settings)) {
        if (!url || name.replace(/-\d+$/, '') !== app || !setting.test(key)) continue;
        cables[cable as Cable] ??= await TcpProxy.before(url);
        changed[name] = { ...changed[name], [key]: cables[cable as Cable].through(url) };
      }
    }
  }
  return changed;
}
