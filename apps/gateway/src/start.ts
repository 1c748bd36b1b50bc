import type { Operation } from '#libs/contracts';
import { AccountExports, Database } from '#libs/database';
import type { EventTransport } from '#libs/messaging';
import { type Clock, type Logger, type RunningService, startService } from '#libs/platform';
import { hiddenClientsOf } from './context/client-address.js';
import type { Mailbox } from './dashboard/mailbox/mailbox.js';
import { AuthCache } from './auth-cache/auth-cache.js';
import type { GatewayConfig } from './gateway.config.js';
import { GatewayModule } from './gateway.module.js';
import { probePorts } from './listener/port-probe.js';
import { EXPORTED_TABLES } from './request-log/exported-tables.js';
import { PublicListeners } from './listener/public-listeners.js';
import { ownOperations } from './owners/own-operations.js';
import { ProblemBodies } from './problems/problem-body.js';
import { Services } from './services.js';
import { RequestsService } from './usage/requests.service.js';
import { UsageService } from './usage/usage.service.js';

export interface StartGateway {
  config: GatewayConfig;
  clock: Clock;
  logger: Logger;
  transport: EventTransport;
  /** What the API serves. Default: the table of operations. */
  operations?: readonly Operation[];
  /** Mail that is kept instead of sent, for the dashboard's mailbox page. */
  mailbox?: Mailbox;
}

/** A gateway that answers. */
export interface RunningGateway extends RunningService {
  /** Origin of the public API's listener. */
  apiUrl: string;
  /** Origin of the dashboard's listener. */
  dashboardUrl: string;
  authCache: AuthCache;
  services: Services;
  /** Renders refusals as every listener of the gateway does. */
  bodies: ProblemBodies;
}

const MAINTENANCE_POOL_SIZE = 2;

/**
 * Starts databases, the application with what `GatewayLifecycle` starts in it, the internal listener, then
 * the two public ones. `stop` reverses it.
 */
export async function startGateway(options: StartGateway): Promise<RunningGateway> {
  const { config, logger, transport } = options;
  await probePorts(config);
  const hidden = hiddenClientsOf(config);
  if (hidden) logger.warn(hidden);
  const database = await Database.open({
    url: () => config.databaseUrl,
    applicationName: 'gateway',
  });
  const maintenance = await Database.open({
    url: () => config.maintenanceDatabaseUrl,
    applicationName: 'gateway maintenance',
    poolSize: MAINTENANCE_POOL_SIZE,
  });
  const auditor = await Database.open({
    url: config.auditorDatabaseUrl,
    applicationName: 'gateway auditor',
    poolSize: 1,
  });
  const service = await startService({
    module: GatewayModule.register({ ...options, database, maintenance, auditor }),
    logger,
    host: config.internalHost,
    port: config.internalPort,
    config,
    strategy: transport.strategyFor('gateway', database),
  });
  const listeners = service.app.get(PublicListeners);
  const usage = service.app.get(UsageService);
  const own = ownOperations(usage, service.app.get(RequestsService));
  const exports = new AccountExports(database, EXPORTED_TABLES);
  await listeners.open({ ...options, exports, usage, own });
  return {
    ...service,
    apiUrl: listeners.apiUrl,
    dashboardUrl: listeners.dashboardUrl,
    authCache: service.app.get(AuthCache),
    services: service.app.get(Services),
    bodies: service.app.get(ProblemBodies),
  };
}
