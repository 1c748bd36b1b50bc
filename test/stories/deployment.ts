import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from '@jest/globals';
import { EmbeddedServer } from '#libs/database';
import { type EventTransport, EventsConfig, openTransport } from '#libs/messaging';
import { type Clock, type InternalTls, Logger, loadConfig } from '#libs/platform';
import { databaseSettings } from '#libs/services';
import { FileClock, PgBouncer, TestClock, makeRunFolder } from '#test/environment';
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

/** The parts of an installation that a story uses, whichever way its services run. */
export interface Deployment {
  apiUrl: string;
  dashboardUrl: string;
  /** A page with the mail; `mailbox` is what it shows, newest first. */
  mailboxUrl: string;
  mailbox: {
    newest(limit: number): Promise<{ to: string; subject: string; text: string }[]>;
  };
  /** The business time of every service: it stands still until it is moved. */
  clock: Clock & { advance(ms: number): void };
  /** For what operators do. */
  entitlementUrl: string;
  /** The certificate of an operator, where services speak TLS to one another. */
  tls?: InternalTls;
  serviceSecret: string;
  superuserUrl: string;
  databaseUrl(role: string): string;
  rolePassword(role: string): string;
  /** Relays the events of a service that is not built yet. */
  transport: EventTransport;
  /** Every log line so far, of every service. */
  log(): string;
  stop(): Promise<void>;
}

/** Services share event loops, or two cores with the tests: load is not what stories are about. */
const UNHURRIED = { GATEWAY_LOOP_DELAY_MAX_MS: '60000', GATEWAY_SERVICES_TIMEOUT_MS: '20000' };

/** Every service in this process, but billing, whose part the story plays. */
export async function openSolo(settings: Record<string, string> = {}): Promise<Deployment> {
  return opened({ ...UNHURRIED, STRIPE_API_KEY: '', ...settings });
}

/** Every service in this process, with the settings by which an operator says where registries are. */
export async function openSoloOn(internet: Record<string, string>): Promise<Deployment> {
  return opened({ ...UNHURRIED, STRIPE_API_KEY: '', ...internet }, { offline: false });
}

/** Every service in this process, and the simulated payment processor. */
export async function openSoloWithPayments(settings: Record<string, string> = {}) {
  const { payments, billingUrl, ...deployment } = await opened({ ...UNHURRIED, ...settings });
  return {
    ...deployment,
    payments: payments as PaymentsSimulator,
    billingUrl: billingUrl as string,
  };
}

/**
 * The same, but every service that may goes to its database by way of a PgBouncer in transaction mode, which has fewer
 * connections than the services: two for each role.
 */
export async function openSoloBehindPgBouncer(settings: Record<string, string> = {}) {
  const folder = makeRunFolder();
  const server = await EmbeddedServer.start({
    folder: join(folder, 'server'),
    password: 'of-the-server',
    durable: false,
  });
  const pooler = await PgBouncer.start({ serverUrl: server.url(), poolSize: 2 });
  const secrets = Secrets.load(new DataFolder(folder));
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
    payments: solo.payments as PaymentsSimulator,
    billingUrl: solo.billingUrl as string,
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

let template: Promise<string> | undefined;

/** A data folder with a migrated database. Making one takes five seconds of processor time, so later ones are copies. */
async function preparedFolder(): Promise<string> {
  const from = await (template ??= makeTemplate());
  const folder = makeRunFolder();
  execFileSync('cp', ['-a', `${from}/.`, folder]);
  return folder;
}

async function makeTemplate(): Promise<string> {
  const path = makeRunFolder();
  process.once('exit', () => rmSync(path, { recursive: true, force: true }));
  const folder = new DataFolder(path);
  const secrets = Secrets.load(folder);
  const database = await SoloDatabase.open({ folder, secrets, durable: false });
  await database.prepare();
  await database.stop();
  return path;
}

async function opened(
  overrides: Record<string, string>,
  options: { offline?: boolean; folder?: string; databaseAdminUrl?: string } = {},
): Promise<Deployment & { payments?: PaymentsSimulator; billingUrl?: string; workerUrl: string }> {
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
    durable: false,
    overrides,
    log: { path: join(folder, 'story.log'), write: (line: string) => void (log += line) },
  });
  const { apiUrl, dashboardUrl, mailbox, entitlementUrl, transport, database, payments } = solo;
  return {
    apiUrl,
    dashboardUrl,
    mailboxUrl: `${dashboardUrl}/mailbox`,
    mailbox,
    clock,
    payments,
    billingUrl: solo.settings.BILLING_INTERNAL_URL,
    entitlementUrl,
    workerUrl: solo.settings.WORKER_URL as string,
    serviceSecret: solo.settings.SERVICE_SECRET as string,
    superuserUrl: database.superuserUrl,
    databaseUrl: (role) => database.url(role),
    rolePassword: (role) => database.rolePassword(role),
    transport,
    log: () => log,
    stop: async () => {
      await solo.stop();
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A process for each service, with Kafka and Valkey. The API is the first gateway's. @param worker its settings. */
export async function openCluster(worker: Record<string, string> = {}): Promise<
  Deployment & {
    cluster: RunningCluster;
    payments: PaymentsSimulator;
    billingUrl: string;
    workerUrl: string;
  }
> {
  const folder = makeRunFolder();
  const clockFile = join(folder, 'clock');
  const clock = FileClock.create(clockFile);
  const cluster = await startCluster({
    folder,
    durable: false,
    clockFile,
    payments: 'simulated',
    // On a busy test machine five milliseconds of waiting are no lost Valkey.
    environment: { gateway: { ...UNHURRIED, VALKEY_TIMEOUT_MS: '1000' }, worker },
  });
  const { facts, gateways, mailbox, settings } = cluster;
  const events = loadConfig(EventsConfig, settings.operator());
  const logger = new Logger('billing', { write: () => undefined });
  const transport = openTransport({ config: events, logger, consumers: {} });
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
    rolePassword: (role) => settings.rolePassword(role),
    transport,
    log: () => cluster.processes.map(({ output }) => output).join(''),
    stop: async () => {
      await transport.close();
      await cluster.stop();
      clock.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Our own checks must not pass without a cluster; a contributor's machine may do without. */
export const describeOnCluster =
  clusterAvailability() === undefined || process.env.CI === 'true' ? describe : describe.skip;
