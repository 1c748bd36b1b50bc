import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FileStore, FilesConfig, openFiles } from '#libs/files';
import type { LocalMailbox } from '#libs/mail';
import { InProcessTransport } from '#libs/messaging';
import {
  type Clock,
  Logger,
  type Metrics,
  loadConfig,
  TelemetryConfig,
  openTraces,
} from '#libs/platform';
import { type AnyService, type Settings, durableConsumers, installed } from '#libs/services';
import { AccountConfig } from '../../../account/src/account.config.js';
import { SERVICES } from '../../../services.js';
import type { PaymentsSimulator } from '../../../simulators/src/payments/payments-simulator.js';
import { RegistrySimulator } from '../../../simulators/src/registry/registry-simulator.js';
import { hasInventedNames } from './corpus-seed.js';
import type { ShutdownOrder } from './shutdown-order.js';
import { soloMail } from './solo-mail.js';
import { startIdentity } from './solo-identity.js';
import { isPaymentSimulated, startPayments } from './solo-payments.js';
import { type SettingSources, soloSettings } from './solo-settings.js';

export interface ServicesOptions extends SettingSources {
  clock: Clock;
  log: { write(line: string): void };
  offline: boolean;
  shutdown: ShutdownOrder;
}

export interface SoloServices {
  apiUrl: string;
  dashboardUrl: string;
  accountUrl: string;
  entitlementUrl: string;
  settings: Settings;
  /** The metrics, one registry for each service. */
  metrics: Metrics[];
  clock: Clock;
  transport: InProcessTransport;
  mailbox: LocalMailbox;
  isMailSent: boolean;
  registries?: RegistrySimulator;
  payments?: PaymentsSimulator;
}

/**
 * Starts every installed service in order: services that others call come first, and the public listeners last.
 * Each service is added to the shutdown order as soon as it runs.
 */
export async function startServices(options: ServicesOptions): Promise<SoloServices> {
  const { clock, shutdown, offline } = options;
  const settings = soloSettings(options);
  const telemetry = loadConfig(TelemetryConfig, settings);
  const traces = await openTraces(telemetry);
  shutdown.add('traces', () => traces.close());
  const logger = (name: string) => new Logger(name, options.log, telemetry.logLevel);
  const payments = isPaymentSimulated(settings)
    ? await startPayments(settings, clock, shutdown, options.folder.file('payments.journal'))
    : undefined;
  await startIdentity(settings, shutdown);
  const services = installed(SERVICES, settings);
  const consumers = await durableConsumers(services);
  const transport = new InProcessTransport({ logger: logger('events'), consumers });
  const mail = soloMail(loadConfig(AccountConfig, settings), clock);
  shutdown.add('mail', () => mail.transport.close());
  const registries = offline ? await startRegistries(settings, shutdown) : undefined;
  if (hasInventedNames(options.folder)) settings.GATEWAY_INVENTED_NAMES ??= 'true';
  settings.LOOKUP_SOCKET = socketPath(shutdown);
  const metrics: Metrics[] = [];
  for (const service of services) {
    const { start } = await service.load();
    const started = await start({
      config: loadConfig<object>(service.config, settings),
      clock,
      logger: logger(service.name),
      transport,
      files: await filesOf(service, settings, options),
      mail: mail.transport,
      mailbox: mail.isSent ? undefined : mail.mailbox,
    });
    shutdown.add(service.name, started.stop);
    metrics.push(started.metrics);
    // The transport closes before the service from whose database it reads events. A second close has no effect.
    shutdown.add('events', () => transport.close());
    if (service.urlSetting) settings[service.urlSetting] = started.addresses.url;
  }
  transport.requireConsumers();
  return {
    apiUrl: settings.BASE_URL!,
    dashboardUrl: settings.BILLING_URL!,
    accountUrl: settings.ACCOUNT_URL!,
    entitlementUrl: settings.ENTITLEMENT_URL!,
    settings,
    metrics,
    clock,
    transport,
    mailbox: mail.mailbox,
    isMailSent: mail.isSent,
    registries,
    payments,
  };
}

/**
 * Opens the store of a service that keeps files; returns undefined for other services. The store
 * closes after the service.
 */
async function filesOf(
  { name, usesFiles }: AnyService,
  settings: Settings,
  { clock, shutdown }: ServicesOptions,
): Promise<FileStore | undefined> {
  if (!usesFiles) return undefined;
  const files = await openFiles(loadConfig(FilesConfig, settings), name, clock);
  shutdown.add(`files of ${name}`, () => files.close());
  return files;
}

async function startRegistries(
  settings: Settings,
  shutdown: ShutdownOrder,
): Promise<RegistrySimulator> {
  const registries = new RegistrySimulator();
  const { upstreamExceptions, caFile, dnsServers } = await registries.start();
  shutdown.add('registry simulator', () => registries.stop());
  settings.LOOKUP_UPSTREAM_EXCEPTIONS = upstreamExceptions;
  settings.LOOKUP_EXTRA_CA_FILE = caFile;
  settings.LOOKUP_DNS_SERVERS = dnsServers;
  settings.GATEWAY_SIMULATED_DATA ??= 'true';
  settings.DASHBOARD_SIMULATED_DATA ??= 'true';
  // No real registry is queried, so pauses between queries would only slow the demonstration.
  settings.LOOKUP_UPSTREAM_PER_SECOND ??= '1000';
  return registries;
}

/**
 * Returns the path of the socket, in a folder that only this user can read. A socket path has at most 107 bytes, so the
 * data folder may be nested too deeply.
 */
function socketPath(shutdown: ShutdownOrder): string {
  const folder = mkdtempSync(join(tmpdir(), 'dds-'));
  shutdown.add('socket', async () => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'lookup.sock');
}
