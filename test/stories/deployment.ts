import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from '@jest/globals';
import { EmbeddedServer } from '#libs/database';
import type { Clock } from '#libs/platform';
import { databaseSettings } from '#libs/services';
import {
  FileClock,
  PgBouncer,
  TEST_SERVER_URL,
  TestClock,
  makeRunFolder,
  waitFor,
} from '#test/environment';
import { SERVICES } from '../../apps/services.js';
import { DataFolder } from '../../apps/solo/src/data-folder/data-folder.js';
import { Secrets } from '../../apps/solo/src/data-folder/secrets.js';
import {
  type RunningCluster,
  clusterAvailability,
  startCluster,
} from '../../apps/cluster/src/cluster.js';
import type { PaymentsSimulator } from '../../apps/simulators/src/payments/payments-simulator.js';
import { SoloDatabase } from '../../apps/solo/src/services/solo-database.js';
import { startSolo } from '../../apps/solo/src/solo.js';

export interface Deployment {
  apiUrl: string;
  dashboardUrl: string;
  /** The URL of a page that shows the e-mails; `mailbox` returns them, newest first. */
  mailboxUrl: string;
  mailbox: {
    newest(limit: number): Promise<{ to: string; subject: string; text: string }[]>;
  };
  /** The business time of every service, which stands still until it is advanced. */
  clock: Clock & { advance(ms: number): void };
  /** The URL of entitlement, to which stories send requests as operators' commands do. */
  entitlementUrl: string;
  serviceSecret: string;
  superuserUrl: string;
  databaseUrl(role: string): string;
  log(): string;
  stop(): Promise<void>;
}

interface WithPayments extends Deployment {
  payments: PaymentsSimulator;
  billingUrl: string;
  workerUrl: string;
}

/**
 * Settings that keep gateways from shedding load: services share event loops or cores with the tests, and stories do
 * not test behaviour under load.
 */
const UNHURRIED = { GATEWAY_LOOP_DELAY_MAX_MS: '60000', GATEWAY_SERVICES_TIMEOUT_MS: '20000' };

/**
 * Starts every service except billing in this process.
 * @param offline false if the settings contain the addresses of registries.
 */
export async function openSolo(
  settings: Record<string, string> = {},
  offline = true,
): Promise<Deployment> {
  return opened({ ...UNHURRIED, STRIPE_API_KEY: '', ...settings }, { offline });
}

export async function openSoloWithPayments(settings: Record<string, string> = {}) {
  return opened({ ...UNHURRIED, ...settings });
}

/**
 * Starts every service in this process. All except corpus use their databases through a PgBouncer in transaction mode,
 * which has fewer connections than the services: two for each role.
 */
export async function openSoloBehindPgBouncer(settings: Record<string, string> = {}) {
  const folder = await preparedFolder();
  const secrets = Secrets.load(new DataFolder(folder));
  const server = await EmbeddedServer.start({
    folder: join(folder, 'postgres'),
    password: secrets.get('postgres'),
    durable: false,
  });
  const pooler = await PgBouncer.start({ serverUrl: server.url(), poolSize: 2 });
  const pooled = (role: string) => {
    const url = new URL(pooler.url(server.url('domain_data')));
    [url.username, url.password] = [role, secrets.rolePassword(role)];
    return url.toString();
  };
  const urls = SERVICES.filter(({ name }) => name !== 'corpus').map((service) =>
    databaseSettings(service, pooled),
  );
  const overrides = Object.assign({}, UNHURRIED, settings, ...urls) as Record<string, string>;
  const solo = await opened(overrides, { folder, databaseAdminUrl: server.url() });
  return {
    ...solo,
    pooler,
    pooled,
    stop: async () => {
      await solo.stop();
      await pooler.stop();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Returns a data folder with a migrated database. Creating a database takes five seconds of CPU time, so all processes
 * of a run copy the same template, which is stored beside the run's own database.
 */
export async function preparedFolder(): Promise<string> {
  const server = new URL(process.env[TEST_SERVER_URL]!);
  const template = join(server.searchParams.get('host')!, '../solo-template');
  const isMaker = mkdirSync(`${template}.lock`, { recursive: true }) !== undefined;
  if (isMaker) await makeTemplate(`${template}.made`, template);
  await waitFor('the template of solo', () => existsSync(template));
  const folder = makeRunFolder();
  execFileSync('cp', ['-a', `${template}/.`, folder]);
  return folder;
}

async function makeTemplate(path: string, template: string): Promise<void> {
  const folder = new DataFolder(path);
  folder.create();
  const secrets = Secrets.load(folder);
  const database = await SoloDatabase.open({ folder, secrets, durable: false });
  await database.prepare();
  await database.stop();
  renameSync(path, template);
}

async function opened(
  overrides: Record<string, string>,
  options: { offline?: boolean; folder?: string; databaseAdminUrl?: string } = {},
): Promise<WithPayments> {
  const clock = new TestClock();
  const { offline = true, databaseAdminUrl } = options;
  const folder = options.folder ?? (await preparedFolder());
  let log = '';
  const solo = await startSolo({
    dataFolder: folder,
    apiPort: 0,
    dashboardPort: 0,
    offline,
    databaseAdminUrl,
    clock,
    demoAccount: 'none',
    durable: false,
    overrides,
    log: { path: join(folder, 'story.log'), write: (line: string) => void (log += line) },
  });
  const { apiUrl, dashboardUrl, mailbox, entitlementUrl, database, payments } = solo;
  return {
    apiUrl,
    dashboardUrl,
    mailboxUrl: `${dashboardUrl}/mailbox`,
    mailbox,
    clock,
    payments: payments as PaymentsSimulator,
    billingUrl: solo.settings.BILLING_INTERNAL_URL as string,
    entitlementUrl,
    workerUrl: solo.settings.WORKER_URL as string,
    serviceSecret: solo.settings.SERVICE_SECRET as string,
    superuserUrl: database.superuserUrl,
    databaseUrl: (role) => database.url(role),
    log: () => log,
    stop: async () => {
      await solo.stop();
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts each service in its own process, with Kafka and Valkey. `worker` contains settings of the worker. */
export async function openCluster(
  worker: Record<string, string> = {},
): Promise<WithPayments & { cluster: RunningCluster }> {
  const folder = await preparedFolder();
  const clockFile = join(folder, 'clock');
  const clock = FileClock.create(clockFile);
  const cluster = await startCluster({
    folder,
    demoAccount: 'none',
    durable: false,
    clockFile,
    payments: 'simulated',
    // On a busy test machine, an answer that takes more than five milliseconds does not mean that Valkey is lost.
    environment: { gateway: { ...UNHURRIED, VALKEY_TIMEOUT_MS: '1000' }, worker },
  });
  const { facts, gateways, mailbox, settings } = cluster;
  return {
    cluster,
    apiUrl: gateways[0].apiUrl,
    dashboardUrl: cluster.dashboardUrl,
    mailboxUrl: facts.mailbox_url,
    mailbox,
    clock,
    payments: cluster.payments as PaymentsSimulator,
    billingUrl: cluster.processes.find(({ name }) => name === 'billing')?.url as string,
    entitlementUrl: facts.entitlement_url,
    workerUrl: settings.operator().WORKER_URL as string,
    serviceSecret: settings.operator().SERVICE_SECRET as string,
    superuserUrl: settings.superuserUrl,
    databaseUrl: (role) => settings.databaseUrl(role),
    log: () => cluster.processes.map(({ output }) => output).join(''),
    stop: async () => {
      await cluster.stop();
      clock.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Describes tests on a cluster. CI must not pass without one, but a contributor's machine may lack one. */
export function describeOnCluster(name: string, tests: () => void): void {
  const mustRun = clusterAvailability() === undefined || process.env.CI === 'true';
  (mustRun ? describe : describe.skip)(name, tests);
}
