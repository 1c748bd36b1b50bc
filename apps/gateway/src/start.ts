import type { Operation } from '#libs/contracts';
import { Database, openAuditorDatabase } from '#libs/database';
import type { EventTransport } from '#libs/messaging';
import { type Clock, type Logger, type RunningService, startService } from '#libs/platform';
import { ProblemBodies, hiddenClientsOf, probePort } from '#libs/public-http';
import { AuthCache } from './auth-cache/auth-cache.js';
import type { GatewayConfig } from './gateway.config.js';
import { GatewayModule } from './gateway.module.js';
import { PublicListener } from './listener/public-listener.js';
import { Services } from './services.js';

export interface StartGateway {
  config: GatewayConfig;
  clock: Clock;
  logger: Logger;
  transport: EventTransport;
  /** The operations that the API serves; by default, the table of operations. */
  operations?: readonly Operation[];
}

export interface RunningGateway extends RunningService {
  apiUrl: string;
  authCache: AuthCache;
  services: Services;
  bodies: ProblemBodies;
}

const MAINTENANCE_POOL_SIZE = 2;

/**
 * Opens the databases, and starts the application with `GatewayLifecycle`, the internal listener and then the public
 * one. `stop` reverses this order. @throws Error if a port is in use; the errors of `startService`.
 */
export async function startGateway(options: StartGateway): Promise<RunningGateway> {
  const { config, logger, transport } = options;
  await probePorts(config);
  const hidden = hiddenClientsOf({
    origin: config.baseUrl,
    trustedProxies: config.trustedProxies,
    settings: { origin: 'BASE_URL', trustedProxies: 'GATEWAY_TRUSTED_PROXIES' },
  });
  if (hidden) logger.warn(hidden);
  const database = await Database.open({
    url: () => config.databaseUrl,
    applicationName: 'gateway',
    poolSize: config.poolSize,
  });
  const maintenance = await Database.open({
    url: () => config.maintenanceDatabaseUrl,
    applicationName: 'gateway maintenance',
    poolSize: Math.min(MAINTENANCE_POOL_SIZE, config.maintenancePoolSize),
  });
  const auditor = await openAuditorDatabase('gateway', config);
  const service = await startService({
    module: GatewayModule.register({ ...options, database, maintenance, auditor }),
    logger,
    host: config.internalHost,
    port: config.internalPort,
    config,
    strategy: transport.strategyFor('gateway', database),
  });
  const listener = service.app.get(PublicListener);
  await listener.open();
  return {
    ...service,
    apiUrl: listener.url,
    authCache: service.app.get(AuthCache),
    services: service.app.get(Services),
    bodies: service.app.get(ProblemBodies),
  };
}

/**
 * Checks that no port is in use, unless it may be shared. @throws Error that names the setting of the first port in
 * use.
 */
async function probePorts(config: GatewayConfig): Promise<void> {
  if (!config.reusePort) await probePort(config.host, config.port, 'API_PORT');
  await probePort(config.internalHost, config.internalPort, 'GATEWAY_INTERNAL_PORT');
}
