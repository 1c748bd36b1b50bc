import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LocalMailbox } from '#libs/mail';
import { InProcessTransport } from '#libs/messaging';
import {
  type Clock,
  Logger,
  Metrics,
  type RunningService,
  loadConfig,
  TelemetryConfig,
  openTraces,
} from '#libs/platform';
import { AccountConfig } from '../../../account/src/account.config.js';
import { startAccount } from '../../../account/src/start.js';
import { EntitlementConfig } from '../../../entitlement/src/entitlement.config.js';
import { startEntitlement } from '../../../entitlement/src/start.js';
import { GatewayConfig } from '../../../gateway/src/gateway.config.js';
import { startGateway } from '../../../gateway/src/start.js';
import { LookupConfig } from '../../../lookup/src/lookup.config.js';
import { startLookup } from '../../../lookup/src/start.js';
import { RegistrySimulator } from '../../../simulators/src/registry/registry-simulator.js';
import type { ShutdownOrder } from './shutdown-order.js';
import { soloMail } from './solo-mail.js';
import { type SettingSources, type Settings, soloSettings } from './solo-settings.js';

export interface ServicesOptions extends SettingSources {
  clock: Clock;
  log: { write(line: string): void };
  /** Whether lookups go to the registry simulator. */
  offline: boolean;
  shutdown: ShutdownOrder;
}

/** The services as they run, and what stories look into. */
export interface SoloServices {
  /** Public origins. */
  apiUrl: string;
  dashboardUrl: string;
  /** Internal listeners. */
  accountUrl: string;
  entitlementUrl: string;
  settings: Settings;
  /** Of each service. */
  metrics: Metrics[];
  clock: Clock;
  transport: InProcessTransport;
  mailbox: LocalMailbox;
  /** Whether letters go to a mail server instead of the mailbox. */
  isMailSent: boolean;
  /** The simulated registries, when lookups go there. */
  registries?: RegistrySimulator;
}

/** Who must have heard each fact before it counts as sent. billing joins with its own events. */
const CONSUMERS = { account: ['entitlement', 'gateway'], billing: ['entitlement'] } as const;

/**
 * Starts every service in the order in which they need one another: whoever is called first, the
 * gateway last. Each is added to the shutdown order as soon as it runs.
 */
export async function startServices(options: ServicesOptions): Promise<SoloServices> {
  const { clock, shutdown, offline } = options;
  const settings = soloSettings(options);
  const telemetry = loadConfig(TelemetryConfig, settings);
  const traces = await openTraces(telemetry);
  shutdown.add('traces', () => traces.close());
  const logger = (name: string) => new Logger(name, options.log, telemetry.logLevel);
  const transport = new InProcessTransport({ logger: logger('events'), consumers: CONSUMERS });
  const accountConfig = loadConfig(AccountConfig, settings);
  const mail = soloMail(accountConfig, clock);
  shutdown.add('mail', () => mail.transport.close());
  const running = stoppingWith(shutdown, transport);
  const start = { clock, transport };

  const account = running(
    'account',
    await startAccount({
      ...start,
      config: accountConfig,
      logger: logger('account'),
      mail: mail.transport,
    }),
  );
  const entitlement = running(
    'entitlement',
    await startEntitlement({
      ...start,
      config: loadConfig(EntitlementConfig, settings),
      logger: logger('entitlement'),
    }),
  );
  const registries = offline ? await startRegistries(settings, shutdown) : undefined;
  settings.LOOKUP_SOCKET = socketPath(shutdown);
  const lookup = running(
    'lookup',
    await startLookup({
      clock,
      config: loadConfig(LookupConfig, settings),
      logger: logger('lookup'),
    }),
  );
  settings.ACCOUNT_URL = account.url;
  settings.ENTITLEMENT_URL = entitlement.url;
  settings.LOOKUP_URL = lookup.url;
  const config = loadConfig(GatewayConfig, settings);
  const mailbox = mail.isSent ? undefined : mail.mailbox;
  const gateway = await startGateway({ ...start, config, logger: logger('gateway'), mailbox });
  running('gateway', gateway);
  transport.requireConsumers();
  const services = [account, entitlement, lookup, gateway];
  return {
    apiUrl: config.baseUrl,
    dashboardUrl: config.billingUrl,
    accountUrl: account.url,
    entitlementUrl: entitlement.url,
    settings,
    metrics: services.map(({ app }) => app.get(Metrics, { strict: false })),
    clock,
    transport,
    mailbox: mail.mailbox,
    isMailSent: mail.isSent,
    registries,
  };
}

/** Events stop before the service whose database they are read from. Closing twice is harmless. */
function stoppingWith(shutdown: ShutdownOrder, transport: InProcessTransport) {
  return <T extends RunningService>(name: string, service: T): T => {
    shutdown.add(name, () => service.stop());
    shutdown.add('events', () => transport.close());
    return service;
  };
}

async function startRegistries(
  settings: Settings,
  shutdown: ShutdownOrder,
): Promise<RegistrySimulator> {
  const registries = new RegistrySimulator();
  const { upstreamExceptions, caFile } = await registries.start();
  shutdown.add('registry simulator', () => registries.stop());
  settings.LOOKUP_UPSTREAM_EXCEPTIONS = upstreamExceptions;
  settings.LOOKUP_EXTRA_CA_FILE = caFile;
  // Nobody's registry is asked: politeness would only slow the demonstration.
  settings.LOOKUP_UPSTREAM_PER_SECOND ??= '1000';
  return registries;
}

/** In a folder of this user alone. A data folder may lie too deep: such a path has 107 bytes at most. */
function socketPath(shutdown: ShutdownOrder): string {
  const folder = mkdtempSync(join(tmpdir(), 'dds-'));
  shutdown.add('socket', async () => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'lookup.sock');
}
