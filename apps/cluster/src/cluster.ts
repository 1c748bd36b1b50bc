import { Clock, SystemClock } from '#libs/platform';
import {
  FileClock,
  KafkaBroker,
  ValkeyServer,
  fileClockSettings,
  kafkaAvailability,
  valkeyAvailability,
} from '#test/environment';
import { StartFault } from '../../solo/src/checks/start-fault.js';
import { DataFolder } from '../../solo/src/data-folder/data-folder.js';
import { Secrets } from '../../solo/src/data-folder/secrets.js';
import { FolderLock } from '../../solo/src/checks/folder-lock.js';
import { type DemoSurroundings, seedDemoAccount } from '../../solo/src/demo/demo-account.js';
import { seedDemoLife } from '../../solo/src/demo/demo-life.js';
import { ShutdownOrder } from '../../solo/src/services/shutdown-order.js';
import type { DemoFacts } from '../../solo/src/announcement/solo-facts.js';
import type { ClusterFacts } from './announcement/cluster-facts.js';
import { createDatabase, runCli } from './backing/operator-commands.js';
import { PostgresProcess } from './backing/postgres-process.js';
import { SimulatedMailbox } from './simulated-mailbox.js';
import type { ClusterProcess } from './processes/cluster-process.js';
import { ownCompileCache } from './processes/compile-cache.js';
import { ServiceProcess } from './processes/service-process.js';
import { type AnyService, type Settings, installed } from '#libs/services';
import { SERVICES } from '../../services.js';
import { startPayments } from '../../solo/src/services/solo-payments.js';
import { ServiceSettings } from './service-settings.js';
import type { ClusterEnvironment, ClusterOptions } from './cluster-options.js';
import { type ClusterPorts, choosePorts } from './cluster-ports.js';

type PaymentsSimulator = Awaited<ReturnType<typeof startPayments>>;

export interface ClusterGateway {
  process: ClusterProcess;
  apiUrl: string;
}

export interface RunningCluster {
  /** The services: simulators, account, entitlement, lookup, dashboard, gateway-1 … */
  processes: ServiceProcess[];
  gateways: ClusterGateway[];
  dashboardUrl: string;
  facts: ClusterFacts;
  postgres: ClusterProcess;
  broker?: ClusterProcess;
  valkey?: ClusterProcess;
  mailbox: SimulatedMailbox;
  payments?: PaymentsSimulator;
  clock: Clock;
  settings: ServiceSettings;
  /** Finds one of `processes` by name. @throws Error if there is none. */
  process(name: string): ClusterProcess;
  /**
   * Fills the demo account as `seedDemoLife` does, once, if payments are simulated and the account is `full`.
   * @returns whether anything was missing.
   */
  fillDemo(): Promise<boolean>;
  /** Drains and stops everything in order, PostgreSQL last. */
  stop(): Promise<void>;
}

/** The only app with several processes in a cluster. Every other service has one process. */
const GATEWAY = SERVICES.find(({ name }) => name === 'gateway') as AnyService;

const noted = () => {};

const REMEDY = 'On Debian: apt-get install default-jre-headless maven redis-server';

/**
 * Returns the reason why a cluster cannot run on this machine, with the programs that are missing; undefined if a
 * cluster can run.
 */
export function clusterAvailability({
  broker = true,
  valkey = true,
}: Pick<ClusterOptions, 'broker' | 'valkey'> = {}): string | undefined {
  const missing = [broker && kafkaAvailability(), valkey && valkeyAvailability()].filter(Boolean);
  return missing.length > 0 ? missing.join(', and ') : undefined;
}

/**
 * Starts every service in its own process, each from its compiled `main.js` and an environment, together with
 * PostgreSQL and, unless the options exclude them, Kafka and Valkey, all on loopback. If a part does not start, nothing
 * is left running.
 * @throws StartFault if a cluster cannot run on this machine; the reason of `signal`; the errors of the parts.
 */
export async function startCluster(options: ClusterOptions): Promise<RunningCluster> {
  const missing = clusterAvailability(options);
  if (missing) throw new StartFault(`A cluster cannot run here: ${missing}.`, REMEDY);
  const folder = new DataFolder(options.folder);
  folder.create();
  const shutdown = new ShutdownOrder();
  const lock = FolderLock.take(folder, 'cluster.json');
  shutdown.add('lock', async () => lock.release());
  try {
    const starting = new StartingCluster(options, folder, shutdown);
    return await starting.run();
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}

class StartingCluster {
  private readonly secrets: Secrets;
  private readonly clock: Clock;
  private readonly backing: Partial<Record<'postgres' | 'broker' | 'valkey', ClusterProcess>> = {};
  private readonly services: ServiceProcess[] = [];
  private ports: ClusterPorts;
  private settings: ServiceSettings;
  private payments?: PaymentsSimulator;
  private processor: Settings = {};
  private alone: readonly AnyService[] = [];

  constructor(
    private readonly options: ClusterOptions,
    private readonly folder: DataFolder,
    private readonly shutdown: ShutdownOrder,
  ) {
    this.secrets = Secrets.load(folder);
    const { clockFile } = options;
    this.clock = clockFile === undefined ? new SystemClock() : FileClock.follow(clockFile);
    shutdown.add('postgres', async () => this.backing.postgres?.stop());
    shutdown.add('broker', async () => this.backing.broker?.stop());
    shutdown.add('valkey', async () => this.backing.valkey?.stop());
    shutdown.add('services', async () => this.stopServices(() => true));
    shutdown.add('public services', async () => this.stopServices(isPublic));
  }

  async run(): Promise<RunningCluster> {
    this.ports = await choosePorts(this.options);
    await this.openPayments();
    this.next('Starting PostgreSQL, Kafka, Valkey and the simulators …');
    const [postgres, simulators] = await all([
      this.startDatabase(),
      this.startSimulators(),
      this.startBroker(),
      this.startValkey(),
    ]);
    this.next('Bringing tables and topics up to date …');
    await runCli('migrate', this.settings.operator());
    const names = this.alone.map(({ name }) => name).join(', ');
    const { length: count } = this.ports.gateways;
    this.next(`Starting ${names} and ${count} ${count === 1 ? 'gateway' : 'gateways'} …`);
    await this.startServices(simulators);
    const { broker, valkey } = this.backing;
    const gateways = this.services.filter(isGateway).map((process, index) => {
      const { BASE_URL } = this.settings.gateway(GATEWAY, index);
      return { process, apiUrl: BASE_URL as string };
    });
    const mailbox = new SimulatedMailbox(simulators.url);
    const facts = await this.announce(gateways, mailbox, simulators);
    return {
      processes: this.services,
      gateways,
      dashboardUrl: facts.dashboard_url,
      facts,
      postgres,
      broker,
      valkey,
      mailbox,
      payments: this.payments,
      clock: this.clock,
      settings: this.settings,
      process: (name) => this.named(name),
      fillDemo: () => this.fillDemo(facts.demo),
      stop: () => this.shutdown.run(),
    };
  }

  private next(step: string): void {
    this.options.signal?.throwIfAborted();
    this.options.progress?.(step);
  }

  /** Prepares the payment processor and, according to its settings, the list of services that run. */
  private async openPayments(): Promise<void> {
    const { payments } = this.options;
    if (payments === 'simulated') {
      this.processor = { BILLING_URL: `http://localhost:${this.ports.dashboard}` };
      this.payments = await startPayments(this.processor, this.clock, this.shutdown);
    } else this.processor = { ...payments };
    this.alone = installed(SERVICES, this.processor).filter((service) => service !== GATEWAY);
  }

  private async startDatabase(): Promise<PostgresProcess> {
    const { folder, options, ports, secrets } = this;
    const postgres = await PostgresProcess.open({
      folder: folder.file('postgres'),
      port: ports.postgres,
      password: secrets.get('postgres'),
      durable: options.durable,
      signal: options.signal,
    });
    this.backing.postgres = postgres;
    this.settings = new ServiceSettings({
      ports,
      folder,
      secrets,
      postgresUrl: postgres.url,
      brokers: options.broker === false ? undefined : `127.0.0.1:${ports.kafka}`,
      valkeyUrl: options.valkey === false ? undefined : `redis://127.0.0.1:${ports.valkey}`,
      services: this.alone,
      reusePort: options.onePort === true,
      common: this.commonSettings(),
    });
    await createDatabase(postgres.url, this.settings.databaseName);
    const { KAFKA_BROKERS: _, ...withoutBroker } = this.settings.operator();
    await runCli('provision', withoutBroker);
    return postgres;
  }

  private async startBroker(): Promise<void> {
    const { broker } = this.options;
    if (broker === false) return;
    const own = { folder: this.folder.file('kafka'), port: this.ports.kafka };
    this.backing.broker = await KafkaBroker.start({ ...own, ...(broker !== true && broker) });
  }

  private async startValkey(): Promise<void> {
    if (this.options.valkey === false) return;
    const options = { folder: this.folder.file('valkey'), port: this.ports.valkey };
    this.backing.valkey = await ValkeyServer.start(options);
  }

  private async startSimulators(): Promise<ServiceProcess> {
    const { simulators, smtp } = this.ports;
    const settings = { SIMULATORS_PORT: String(simulators), SIMULATORS_SMTP_PORT: String(smtp) };
    const process = this.service('simulators', 'simulators', settings);
    await process.start();
    return process;
  }

  /** Starts all services at once. (Each must tolerate the absence of the others anyway.) */
  private async startServices({ addresses }: ServiceProcess): Promise<void> {
    const internet = {
      LOOKUP_UPSTREAM_EXCEPTIONS: addresses.upstreamExceptions,
      LOOKUP_EXTRA_CA_FILE: addresses.caFile,
      LOOKUP_DNS_SERVERS: addresses.dnsServers,
      // No real registry is queried, so pauses between queries would only slow the demonstration.
      LOOKUP_UPSTREAM_PER_SECOND: '1000',
    };
    const planned: ClusterEnvironment = {};
    for (const service of this.alone) {
      planned[service.name] = this.settings.service(service, { ...internet, ...this.processor });
    }
    for (let index = 0; index < this.ports.gateways.length; index++) {
      planned[`gateway-${index + 1}`] = this.settings.gateway(GATEWAY, index);
    }
    const { environment = {} } = this.options;
    const changed = typeof environment === 'function' ? await environment(planned) : environment;
    const processes = Object.entries(planned).map(([name, settings]) => {
      const app = name.replace(/-\d+$/, '');
      return this.service(name, app, { ...settings, ...changed[app], ...changed[name] });
    });
    await all(processes.map((process) => process.start()));
  }

  private service(name: string, app: string, settings: Settings): ServiceProcess {
    const logFile = this.folder.file(`${name}.log`);
    const process = new ServiceProcess({ name, app, settings, logFile });
    this.services.push(process);
    return process;
  }

  private commonSettings(): Settings {
    const { clockFile } = this.options;
    return {
      // The modules that this process has loaded are already compiled, which saves half of the CPU time of a start.
      NODE_COMPILE_CACHE: ownCompileCache() ?? this.folder.file('compiled'),
      ...(clockFile !== undefined && fileClockSettings(clockFile)),
    };
  }

  private async announce(
    gateways: ClusterGateway[],
    mailbox: SimulatedMailbox,
    simulators: ClusterProcess,
  ): Promise<ClusterFacts> {
    const { folder } = this;
    const operator = this.settings.operator();
    const urls = {
      accountUrl: operator.ACCOUNT_URL as string,
      entitlementUrl: operator.ENTITLEMENT_URL as string,
    };
    const demo = await this.seedDemo({ ...urls, clock: this.clock, mailbox });
    const facts: ClusterFacts = {
      pid: process.pid,
      api_url: gateways[0].apiUrl,
      dashboard_url: `http://localhost:${this.ports.dashboard}`,
      mailbox_url: `${simulators.url}/mailbox`,
      payments: this.paymentsFact(),
      mode: 'offline',
      demo,
      data_folder: folder.path,
      log_file: folder.file('*.log'),
      gateways: gateways.map(({ apiUrl, process: { url } }) => ({
        api_url: apiUrl,
        internal_url: url,
      })),
      account_url: urls.accountUrl,
      entitlement_url: urls.entitlementUrl,
      lookup_url: operator.LOOKUP_URL as string,
      brokers: operator.KAFKA_BROKERS,
      valkey_url: this.backing.valkey?.url,
    };
    folder.writePrivateJson('cluster.json', facts);
    const lines = Object.entries(operator).map(([name, value]) => `${name}=${value}\n`);
    folder.writePrivateText('operator.env', lines.join(''));
    this.shutdown.add('facts', async () =>
      ['cluster.json', 'operator.env'].forEach((name) => folder.remove(name)),
    );
    return facts;
  }

  private async seedDemo(surroundings: DemoSurroundings): Promise<DemoFacts | undefined> {
    if (this.options.demoAccount === 'none') return undefined;
    this.next('Creating the demo account …');
    return seedDemoAccount(surroundings, this.folder, this.secrets);
  }

  private async fillDemo(demo?: DemoFacts): Promise<boolean> {
    const { payments, clock, folder, secrets, options } = this;
    if (options.demoAccount !== 'full' || !demo || !payments) return false;
    const operator = this.settings.operator();
    const around = {
      accountUrl: operator.ACCOUNT_URL as string,
      billingUrl: operator.BILLING_INTERNAL_URL as string,
      entitlementUrl: operator.ENTITLEMENT_URL as string,
      workerUrl: operator.WORKER_URL as string,
      log: {
        gateway: this.settings.databaseUrl('gateway'),
        maintenance: this.settings.databaseUrl('gateway_maintenance'),
      },
      ledger: this.settings.databaseUrl('entitlement_owner'),
    };
    const filling = seedDemoLife({ ...around, payments, clock }, folder, secrets, demo);
    this.shutdown.add('demo account', () => filling.then(noted, noted));
    return filling;
  }

  private paymentsFact(): ClusterFacts['payments'] {
    if (this.payments) return 'simulated';
    return this.alone.some(({ name }) => name === 'billing') ? 'real' : 'none';
  }

  private named(name: string): ClusterProcess {
    const found = this.services.find((process) => process.name === name);
    if (!found) throw new Error(`no process ${name}`);
    return found;
  }

  private async stopServices(which: (process: ServiceProcess) => boolean): Promise<void> {
    await all(this.services.filter(which).map((process) => process.stop()));
  }
}

const isGateway = ({ name }: ServiceProcess) => name.startsWith('gateway-');
const isPublic = (process: ServiceProcess) => process.name === 'dashboard' || isGateway(process);

/** Works like `Promise.all`, but waits for the others if one fails, so that everything started can be stopped. */
async function all<T extends readonly unknown[] | []>(
  work: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const results = await Promise.allSettled(work);
  const failed = results.find(({ status }) => status === 'rejected') as
    PromiseRejectedResult | undefined;
  if (failed) throw failed.reason;
  return Promise.all(work);
}
