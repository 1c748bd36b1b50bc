import { Clock, SystemClock } from '#libs/platform';
import { SERVICES } from '../../services.js';
import type { DemoFacts, SoloFacts } from './announcement/solo-facts.js';
import {
  checkDiskSpace,
  checkFolderWritable,
  checkPortFree,
  freePort,
} from './checks/machine-checks.js';
import { DataFolder } from './data-folder/data-folder.js';
import { Secrets } from './data-folder/secrets.js';
import { FolderLock } from './data-folder/folder-lock.js';
import { seedDemoAccount } from './services/demo-account.js';
import { ShutdownOrder } from './services/shutdown-order.js';
import { SoloDatabase } from './services/solo-database.js';
import { type Settings, operatorDatabases } from '#libs/services';
import { type SoloServices, startServices } from './services/solo-services.js';

export interface SoloOptions {
  dataFolder: string;
  /** 0 takes a free port. */
  apiPort: number;
  dashboardPort: number;
  /** Lookups go to the registry simulator, on real loopback sockets. */
  offline: boolean;
  /** Superuser of a PostgreSQL of the operator's own; otherwise one is started. */
  databaseAdminUrl?: string;
  clock?: Clock;
  /** Where the services' log lines go. */
  log: { path: string; write(line: string): void };
  /** What the operator set: the process's environment. Empty by default. */
  environment?: Settings;
  /** Settings of services that win over everything, for stories and benches. */
  overrides?: Settings;
  /** False for a throw-away database, as in tests: faster, and gone after a crash of the machine. */
  durable?: boolean;
}

/** A running installation. */
export interface RunningSolo extends SoloServices {
  facts: SoloFacts;
  database: SoloDatabase;
  /** Drains and stops everything in order, PostgreSQL last. */
  stop(): Promise<void>;
}

/**
 * Starts every service in this process, each on its own loopback port, on one database.
 * @throws StartFault with a remedy when this machine cannot carry it; nothing is left running then.
 */
export async function startSolo(options: SoloOptions): Promise<RunningSolo> {
  const folder = new DataFolder(options.dataFolder);
  checkFolderWritable(folder);
  const shutdown = new ShutdownOrder();
  // Before the ports: a second start here is told that it runs already, not that its port is taken.
  const lock = FolderLock.take(folder);
  shutdown.add('lock', async () => lock.release());
  try {
    await checkMachine(folder, options);
    const secrets = Secrets.load(folder);
    const database = await SoloDatabase.open({
      folder,
      secrets,
      adminUrl: options.databaseAdminUrl,
      durable: options.durable,
    });
    shutdown.add('database', () => database.stop());
    const services = await startServices({
      ...options,
      apiPort: options.apiPort || (await freePort()),
      dashboardPort: options.dashboardPort || (await freePort()),
      clock: options.clock ?? new SystemClock(),
      environment: options.environment ?? {},
      overrides: options.overrides ?? {},
      folder,
      secrets,
      database,
      shutdown,
    });
    const demo = await seedDemoAccount(services, folder, secrets);
    const facts = factsOf(options, folder, services, demo);
    folder.writePrivateJson('solo.json', facts);
    folder.writePrivateText('operator.env', operatorSettings(services, database, secrets));
    shutdown.add('facts', async () =>
      ['solo.json', 'operator.env'].forEach((name) => folder.remove(name)),
    );
    return { ...services, facts, database, stop: () => shutdown.run() };
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}

/** What `npm run cli` needs to work on this installation. */
function operatorSettings(
  { accountUrl, entitlementUrl }: SoloServices,
  database: SoloDatabase,
  secrets: Secrets,
): string {
  const forOperators: Settings = {
    DATABASE_ADMIN_URL: database.superuserUrl,
    DATABASE_ROLE_SECRET: secrets.get('roles'),
    SERVICE_SECRET: secrets.get('SERVICE_SECRET'),
    ACCOUNT_URL: accountUrl,
    ENTITLEMENT_URL: entitlementUrl,
    ...operatorDatabases(SERVICES, (role) => database.url(role)),
  };
  const lines = Object.entries(forOperators).map(([name, value]) => `${name}=${value}\n`);
  return lines.join('');
}

async function checkMachine(folder: DataFolder, options: SoloOptions): Promise<void> {
  checkDiskSpace(folder.path);
  await checkPortFree(options.apiPort, 'API_PORT');
  await checkPortFree(options.dashboardPort, 'DASHBOARD_PORT');
}

function factsOf(
  { offline, log }: SoloOptions,
  folder: DataFolder,
  { apiUrl, dashboardUrl, isMailSent }: SoloServices,
  demo: DemoFacts,
): SoloFacts {
  return {
    pid: process.pid,
    api_url: apiUrl,
    dashboard_url: dashboardUrl,
    ...(!isMailSent && { mailbox_url: `${dashboardUrl}/mailbox` }),
    mode: offline ? 'offline' : 'online',
    demo,
    data_folder: folder.path,
    log_file: log.path,
  };
}
