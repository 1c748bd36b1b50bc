import { setImmediate as nextTurn } from 'node:timers/promises';
import { Clock, Logger, SystemClock, freePorts, loadConfig } from '#libs/platform';
import { type Settings, operatorDatabases } from '#libs/services';
import { SERVICES } from '../../services.js';
import type { DemoFacts, SoloFacts } from './announcement/solo-facts.js';
import { checkDiskSpace, checkFolderWritable, checkPortFree } from './checks/machine-checks.js';
import { DataFolder } from './data-folder/data-folder.js';
import { Secrets } from './data-folder/secrets.js';
import { FolderLock } from './checks/folder-lock.js';
import { seedCorpus } from './services/corpus-seed.js';
import { hasDemoAccount, seedDemoAccount } from './demo/demo-account.js';
import { seedDemoLife } from './demo/demo-life.js';
import { ShutdownOrder } from './services/shutdown-order.js';
import { SoloDatabase } from './services/solo-database.js';
import { MetricsListener } from './services/metrics-listener.js';
import { type SoloServices, startServices } from './services/solo-services.js';
import { OwnDatabasesConfig, isDemoWanted } from './services/solo-settings.js';
import type { DemoAccount } from './solo.config.js';

export interface SoloOptions {
  dataFolder: string;
  /** The port of the API; 0 selects a free port. */
  apiPort: number;
  dashboardPort: number;
  /** The port that Prometheus reads; 0, the default, selects a free port. */
  metricsPort?: number;
  offline: boolean;
  /** The URL of an administrator of the operator's own PostgreSQL; if undefined, an embedded server is started. */
  databaseAdminUrl?: string;
  clock?: Clock;
  log: { path: string; write(line: string): void };
  /** The operator's settings: the environment of the process. Empty by default. */
  environment?: Settings;
  /** Settings of services that override everything, for stories and benches. */
  overrides?: Settings;
  /** The demo account, by default `full`. In production, there is none. */
  demoAccount?: DemoAccount;
  /** Whether data survives a crash of the machine; true by default. If false, the database is faster. */
  durable?: boolean;
  progress?: (step: string) => void;
  /** Aborts a start: everything started so far is stopped, and the start rejects with the signal's reason. */
  signal?: AbortSignal;
}

const DEMO_LEFT =
  'The demo account of an earlier start still exists, with keys that were printed. Delete it before others can reach this installation.';

const noted = () => {};

const START_TRIES_MAX = 3;

export interface RunningSolo extends SoloServices {
  facts: SoloFacts;
  database: SoloDatabase;
  /**
   * Fills the demo account as `seedDemoLife` does, once, if payments are simulated and the account is `full`.
   * @returns whether anything was missing.
   */
  fillDemo(): Promise<boolean>;
  /**
   * Adds invented names to the corpus until the corpus has this many, or everything stops.
   * @returns the number of names added now.
   */
  fillCorpus(names: number): Promise<number>;
  /** Drains and stops everything in order, PostgreSQL last. */
  stop(): Promise<void>;
}

/**
 * Starts every service in this process, each on its own loopback port. If a part does not start, nothing is left
 * running.
 * @throws StartFault with a remedy if the product cannot run on this machine; ConfigurationError; the reason of
 * `signal`; the errors of the parts.
 */
export async function startSolo(options: SoloOptions): Promise<RunningSolo> {
  const folder = new DataFolder(options.dataFolder);
  checkFolderWritable(folder);
  for (let tries = 1; ; tries++) {
    try {
      return await startOnce(folder, options);
    } catch (error) {
      if (!isPortLost(error, options) || tries === START_TRIES_MAX) throw error;
    }
  }
}

async function startOnce(folder: DataFolder, options: SoloOptions): Promise<RunningSolo> {
  const shutdown = new ShutdownOrder();
  // The folder is locked before the ports are checked, so that a second start reports the running instance instead of a
  // port in use.
  const lock = FolderLock.take(folder);
  shutdown.add('lock', async () => lock.release());
  try {
    return await startIn(folder, options, shutdown);
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}

/** Chooses the public ports before anything listens there, because e-mails and answers contain the public origins. */
async function chosenPorts({ apiPort, dashboardPort }: SoloOptions) {
  const [forApi, forDashboard] = await freePorts(2);
  return { apiPort: apiPort || forApi, dashboardPort: dashboardPort || forDashboard };
}

function isPortLost(error: unknown, { apiPort, dashboardPort }: SoloOptions): boolean {
  const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
  return isTaken && (apiPort === 0 || dashboardPort === 0);
}

async function startIn(
  folder: DataFolder,
  options: SoloOptions,
  shutdown: ShutdownOrder,
): Promise<RunningSolo> {
  const { progress = () => {}, signal } = options;
  const next = (step: string) => {
    signal?.throwIfAborted();
    progress(step);
  };
  await checkMachine(folder, options);
  const secrets = Secrets.load(folder);
  next(SoloDatabase.isNew(folder) ? 'Creating the database …' : 'Starting the database …');
  loadServices().catch(noted);
  const database = await SoloDatabase.open({
    folder,
    secrets,
    adminUrl: options.databaseAdminUrl,
    own: loadConfig(OwnDatabasesConfig, options.environment ?? {}),
    durable: options.durable,
    signal,
    logger: new Logger('solo', options.log),
    say: progress,
  });
  shutdown.add('database', () => database.stop());
  next('Bringing the tables up to date …');
  await database.prepare();
  next('Starting the services …');
  const services = await startServices({
    ...options,
    ...(await chosenPorts(options)),
    clock: options.clock ?? new SystemClock(),
    environment: options.environment ?? {},
    overrides: options.overrides ?? {},
    folder,
    secrets,
    database,
    shutdown,
  });
  const metrics = await MetricsListener.start(services.metrics, options.metricsPort ?? 0);
  shutdown.add('metrics', () => metrics.stop());
  const isDemo = isDemoWanted(services.settings, options.demoAccount);
  const demo = isDemo ? await seedDemoAccount(services, folder, secrets) : undefined;
  if (!isDemo && hasDemoAccount(folder)) progress(DEMO_LEFT);
  signal?.throwIfAborted();
  const facts = factsOf(options, folder, services, { demo, metricsUrl: metrics.url });
  folder.writePrivateJson('solo.json', facts);
  folder.writePrivateText('operator.env', operatorSettings(services, database, secrets));
  shutdown.add('facts', async () =>
    ['solo.json', 'operator.env'].forEach((name) => folder.remove(name)),
  );
  const fillCorpus = async (names: number) => {
    const stopping = new AbortController();
    const { clock, settings } = services;
    const urls = { corpusUrl: settings.CORPUS_URL!, workerUrl: settings.WORKER_URL! };
    const filling = seedCorpus({ ...urls, secrets, clock, folder, names }, stopping.signal);
    shutdown.add('invented names', async () => {
      stopping.abort();
      await filling.catch(() => {});
    });
    return filling;
  };
  const fillDemo = async () => {
    if (options.demoAccount === 'empty') return false;
    const filling = filledDemo({ services, database, folder, secrets, demo });
    shutdown.add('demo account', () => filling.then(noted, noted));
    return filling;
  };
  return { ...services, facts, database, fillCorpus, fillDemo, stop: () => shutdown.run() };
}

/**
 * Loads the code of the services, while PostgreSQL's own processes create the database. Errors are thrown again when
 * the services are started.
 */
async function loadServices(): Promise<void> {
  for (const service of SERVICES) {
    await nextTurn();
    await service.load();
  }
}

interface DemoParts {
  services: SoloServices;
  database: SoloDatabase;
  folder: DataFolder;
  secrets: Secrets;
  demo?: DemoFacts;
}

/**
 * Fills the demo account.
 * @returns whether anything was missing; false if there is no demo account or money is real.
 */
async function filledDemo(parts: DemoParts): Promise<boolean> {
  const { services, database, folder, secrets, demo } = parts;
  const { payments, clock, accountUrl, entitlementUrl, settings } = services;
  if (!demo || !payments) return false;
  const log = {
    gateway: database.url('gateway'),
    maintenance: database.url('gateway_maintenance'),
  };
  const ledger = database.url('entitlement_owner');
  const urls = {
    accountUrl,
    billingUrl: settings.BILLING_INTERNAL_URL!,
    entitlementUrl,
    workerUrl: settings.WORKER_URL!,
  };
  return seedDemoLife({ ...urls, clock, payments, log, ledger }, folder, secrets, demo);
}

/** Returns the text of `operator.env`: the settings that `npm run cli` needs to operate this installation. */
function operatorSettings(
  { accountUrl, entitlementUrl, dashboardUrl, settings }: SoloServices,
  database: SoloDatabase,
  secrets: Secrets,
): string {
  const forOperators: Settings = {
    OPERATOR_ENV_OF: String(process.pid),
    DATABASE_ADMIN_URL: database.superuserUrl,
    ...database.ownSettings,
    DATABASE_ROLE_SECRET: secrets.get('roles'),
    SERVICE_SECRET: secrets.get('SERVICE_SECRET'),
    ACCOUNT_URL: accountUrl,
    ENTITLEMENT_URL: entitlementUrl,
    BILLING_INTERNAL_URL: settings.BILLING_INTERNAL_URL,
    CORPUS_URL: settings.CORPUS_URL,
    DASHBOARD_URL: dashboardUrl,
    ...operatorDatabases(SERVICES, (role) => database.url(role)),
  };
  const given = Object.entries(forOperators).filter(([, value]) => value !== undefined);
  const lines = given.map(([name, value]) => `${name}=${value}\n`);
  return lines.join('');
}

async function checkMachine(folder: DataFolder, options: SoloOptions): Promise<void> {
  checkDiskSpace(folder.path);
  await checkPortFree(options.apiPort, 'API_PORT');
  await checkPortFree(options.dashboardPort, 'DASHBOARD_PORT');
  await checkPortFree(options.metricsPort ?? 0, 'METRICS_PORT');
}

function factsOf(
  { offline, log }: SoloOptions,
  folder: DataFolder,
  services: SoloServices,
  { demo, metricsUrl }: { demo?: DemoFacts; metricsUrl: string },
): SoloFacts {
  const { apiUrl, dashboardUrl, isMailSent } = services;
  return {
    pid: process.pid,
    api_url: apiUrl,
    dashboard_url: dashboardUrl,
    metrics_url: metricsUrl,
    ...(!isMailSent && { mailbox_url: `${dashboardUrl}/mailbox` }),
    payments: paymentsOf(services),
    mode: offline ? 'offline' : 'online',
    demo,
    data_folder: folder.path,
    log_file: log.path,
  };
}

function paymentsOf({ payments, settings }: SoloServices): SoloFacts['payments'] {
  if (payments) return 'simulated';
  return settings.BILLING_INTERNAL_URL === undefined ? 'none' : 'real';
}
