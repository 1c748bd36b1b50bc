import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EntitlementClient, type OverridableLimit, ServiceHttp, TIERS } from '#libs/contracts';
import { withClient } from '#libs/database';
import { EventsConfig, type EventTransport, openTransport } from '#libs/messaging';
import {
  DAY_MS,
  Logger,
  ServiceTokens,
  SystemClock,
  freePorts,
  loadConfig,
  newId,
} from '#libs/platform';
import type { Settings } from '#libs/services';
import { type RunningCluster, startCluster } from '../../../apps/cluster/src/cluster.js';
import type { ClusterEnvironment } from '../../../apps/cluster/src/cluster-options.js';
import type { ClusterProcess } from '../../../apps/cluster/src/processes/cluster-process.js';
import { ServiceProcess } from '../../../apps/cluster/src/processes/service-process.js';
import { TcpProxy } from '../../faults/tcp-proxy.js';
import { Billing } from '../../stand-ins/billing.js';
import { AccountBook } from './account-book.js';
import { Checker } from './checker.js';
import { Customer } from './customer.js';
import { Load } from './load.js';
import { eventually } from './patience.js';

/** The connections on which bytes can be cut, held and lost. */
const CABLES = [
  'account-database',
  'entitlement-database',
  'gateway-database',
  'gateway-account',
  'gateway-entitlement',
  'gateway-broker',
  'smtp',
] as const;
export type Cable = (typeof CABLES)[number];

const GATEWAYS = 2;
const TIER = TIERS[0];
const LIMIT = 1_000_000;
const CREDITS = 1_000_000;
const LOAD_CUSTOMERS = 3;
/** The lifetime of granted credits: longer than any clock offset of the matrix (25 h). */
const LASTS_MS = 7 * DAY_MS;
/** The time that the balancer and the clients take to notice a fault. */
const DRAIN_NOTICE_MS = 1_500;

/**
 * The product as real processes, with a proxy in every connection that rows cut, the customers who use the product, and
 * the book of everything that was reported to them.
 */
export class Installation {
  readonly book = new AccountBook();
  readonly checker: Checker;
  /** The accounts whose lookups are the load. */
  readonly regulars: Customer[] = [];
  private customers = 0;

  private constructor(
    readonly cluster: RunningCluster,
    readonly cables: Record<Cable, TcpProxy>,
    private readonly planned: ClusterEnvironment,
    private readonly parts: { folder: string; log: { write(line: string): void } },
  ) {
    this.checker = new Checker(cluster.settings, this.book);
  }

  private billing: Billing;
  private transport: EventTransport;
  private operator: ServiceHttp;

  static async start(): Promise<Installation> {
    const folder = mkdtempSync(join(tmpdir(), 'prove-'));
    const [brokerPort] = await freePorts(1);
    const brokerCable = await TcpProxy.before({ host: '127.0.0.1', port: brokerPort });
    const cables = { 'gateway-broker': brokerCable } as Record<Cable, TcpProxy>;
    let planned: ClusterEnvironment = {};
    const cluster = await startCluster({
      folder,
      gateways: GATEWAYS,
      broker: { proxied: { port: brokerPort, advertisedPort: brokerCable.address.port } },
      environment: async (settings) => {
        planned = settings;
        return laidThrough(settings, cables);
      },
    });
    const log = createWriteStream(join(folder, 'billing.log'));
    const installation = new Installation(cluster, cables, planned, { folder, log });
    try {
      await installation.settleIn();
      return installation;
    } catch (error) {
      await installation.stop();
      throw error;
    }
  }

  get folder(): string {
    return this.parts.folder;
  }

  /** A service's process. Rows can give it a different environment until its next restart. */
  process(name: string): ServiceProcess {
    return this.cluster.process(name) as ServiceProcess;
  }

  /** Creates a further process of a service without starting it. The caller ends it. */
  further(app: string, name: string, changed: Settings): ServiceProcess {
    const logFile = join(this.folder, `${name}.log`);
    return new ServiceProcess({
      name,
      app,
      settings: { ...this.planned[app], ...changed },
      logFile,
    });
  }

  /** Removes a gateway's journal, as if its machine were lost. */
  loseJournal(name: string): void {
    const path = this.planned[name].GATEWAY_JOURNAL as string;
    for (const suffix of ['', '.earlier', '.next']) rmSync(path + suffix, { force: true });
  }

  get apiOrigins(): string[] {
    return this.cluster.gateways.map(({ apiUrl }) => apiUrl);
  }

  /** Creates a customer without an account. */
  newCustomer(): Customer {
    const { gateways, dashboardUrl, mailbox } = this.cluster;
    const [{ apiUrl }] = gateways;
    return new Customer({ apiUrl, dashboardUrl, mailbox }, this.book, ++this.customers);
  }

  /** Creates a customer with credits and without a rate limit. */
  async regular(credits = CREDITS, limit = LIMIT): Promise<Customer> {
    const customer = this.newCustomer();
    await customer.join();
    await this.checker.registered(customer.accountId);
    await this.grant(customer.accountId, credits);
    await this.limit(customer.accountId, limit);
    return customer;
  }

  /**
   * Pays for a package and repeats the event while it is unknown whether it was written.
   * @returns the payment's id.
   */
  async pay(accountId: string): Promise<string> {
    const paymentId = newId();
    await eventually('the payment to be written', async () =>
      this.billing.confirmPackage(accountId, TIER.name, paymentId),
    );
    this.book.payments.push({ paymentId, accountId, credits: TIER.credits });
    return paymentId;
  }

  /**
   * Grants credits manually, retrying until it is known that they were granted once.
   * @returns the adjustment's id.
   */
  async grant(accountId: string, amount: number, lifeMs = LASTS_MS): Promise<string> {
    const adjustmentId = newId();
    const expiresAt = new Date(Date.now() + lifeMs).toISOString();
    const body = { adjustmentId, amount, reason: 'fault matrix', expiresAt };
    await eventually('a grant by hand', async () =>
      new EntitlementClient(this.operator).grantByOperator(accountId, body),
    );
    return adjustmentId;
  }

  /** Sets the number of requests per minute from now on. */
  async limit(accountId: string, value: number, name: OverridableLimit = 'live'): Promise<void> {
    const until = new Date(Date.now() + LASTS_MS).toISOString();
    const body = { name, value, reason: 'fault matrix', until };
    await eventually('a limit by hand', async () => {
      await new EntitlementClient(this.operator).overrideLimit(accountId, body);
      return true;
    });
  }

  /** Moves deletions back by 90 days, so that account's next job erases the accounts. */
  async erase(accountId: string): Promise<void> {
    await this.sql(
      `update account.accounts set restore_until = now() - interval '1 s' where id = $1`,
      [accountId],
    );
    this.book.states.set(accountId, 'erased');
  }

  /** Starts lookups of the regulars, by default at all gateways. */
  load(perSecond: number, origins = this.apiOrigins, customers = this.regulars): Load {
    return new Load({ book: this.book, origins, customers, perSecond });
  }

  /** Restores every process and connection, whatever a row left behind. */
  async heal(): Promise<void> {
    for (const cable of Object.values(this.cables)) await cable.heal();
    const { postgres, broker, valkey, processes } = this.cluster;
    const backing = [postgres, broker, valkey].filter((process) => process !== undefined);
    for (const process of [...backing, ...processes]) process.kill('SIGCONT');
    for (const process of backing) await process.start();
    // The processes are restarted, because one of them may have a wrong clock or be about to kill itself. The
    // simulators are not: they are never targets, and after a restart their certificate authority would differ from the
    // one that lookup was given.
    await Promise.all(processes.filter(({ name }) => name !== 'simulators').map(startAnew));
  }

  /** @param isKept whether the folder is kept. */
  async stop(isKept = false): Promise<void> {
    await this.transport?.close().catch(() => {});
    await this.billing?.stop().catch(() => {});
    await this.operator?.close();
    await this.checker.stop();
    await this.cluster.stop().catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
    for (const cable of Object.values(this.cables)) await cable.stop();
    if (!isKept) rmSync(this.folder, { recursive: true, force: true });
  }

  /** Runs a statement as the superuser of the services' database. */
  sql<T extends object>(text: string, values: unknown[] = []): Promise<T[]> {
    return withClient(this.cluster.settings.superuserUrl, async (client) => {
      const { rows } = await client.query<T>(text, values);
      return rows;
    });
  }

  private async settleIn(): Promise<void> {
    const { settings } = this.cluster;
    const { SERVICE_SECRET, ENTITLEMENT_URL } = settings.operator();
    const clock = new SystemClock();
    this.operator = new ServiceHttp({
      url: ENTITLEMENT_URL as string,
      caller: 'cli',
      audience: 'entitlement',
      tokens: new ServiceTokens(SERVICE_SECRET as string, clock),
    });
    this.transport = openTransport({
      config: loadConfig(EventsConfig, settings.operator()),
      logger: new Logger('billing', this.parts.log),
      consumers: {},
    });
    this.billing = await Billing.start({
      databaseUrl: (role) => settings.databaseUrl(role),
      transport: this.transport,
      clock,
    });
    for (let n = 0; n < LOAD_CUSTOMERS; n++) this.regulars.push(await this.regular());
  }
}

async function startAnew(process: ClusterProcess): Promise<void> {
  await process.stop().catch(() => {});
  await process.start();
}

/** The planned settings, with a proxy in front of every address. */
async function laidThrough(
  planned: ClusterEnvironment,
  cables: Record<Cable, TcpProxy>,
): Promise<ClusterEnvironment> {
  const through = async (cable: Cable, url: string) => {
    cables[cable] ??= await TcpProxy.before(url);
    return cables[cable].through(url);
  };
  const changed: ClusterEnvironment = {};
  for (const [name, settings] of Object.entries(planned)) {
    changed[name] = {};
    for (const [setting, value] of Object.entries(settings)) {
      const cable = cableOf(name, setting);
      if (cable && value) changed[name][setting] = await through(cable, value);
    }
    if (name === 'dashboard') changed[name].DASHBOARD_TRUSTED_PROXIES = '127.0.0.0/8';
    if (!name.startsWith('gateway')) continue;
    // The port must be known before the broker starts, because the broker advertises it.
    changed[name].KAFKA_BROKERS = `127.0.0.1:${cables['gateway-broker'].address.port}`;
    changed[name].GATEWAY_DRAIN_NOTICE_MS = String(DRAIN_NOTICE_MS);
    changed[name].GATEWAY_TRUSTED_PROXIES = '127.0.0.0/8';
    // Two cores run everything here, so a slow event loop is not an overload.
    changed[name].GATEWAY_LOOP_DELAY_MAX_MS = '5000';
  }
  return changed;
}

function cableOf(name: string, setting: string): Cable | undefined {
  const app = name.replace(/-\d+$/, '');
  if (setting.endsWith('DATABASE_URL')) return CABLES.find((cable) => cable === `${app}-database`);
  if (setting === 'SMTP_URL') return 'smtp';
  if (app !== 'gateway') return undefined;
  if (setting === 'ACCOUNT_URL') return 'gateway-account';
  if (setting === 'ENTITLEMENT_URL') return 'gateway-entitlement';
  return undefined;
}
