import { setTimeout as sleep } from 'node:timers/promises';
import { type Counters, openCounters } from '#libs/counters';
import { Database, addPoolMetrics } from '#libs/database';
import { blockListOf } from '#libs/domain-names';
import { type EventTransport, addEventMetrics } from '#libs/messaging';
import {
  type Clock,
  DAY_MS,
  Health,
  type Logger,
  MINUTE_MS,
  Metrics,
  type RunningService,
  Schedule,
  ServiceSecret,
  ServiceTokens,
  monotonicMs,
  newId,
  startService,
} from '#libs/platform';
import { type JobDeclaration, scheduleJobs } from '#libs/services';
import { startDashboard } from './dashboard/dashboard-server.js';
import { hiddenClientsOf } from './context/client-address.js';
import type { Mailbox } from './dashboard/mailbox-routes.js';
import { ChangePollers } from './facts/change-pollers.js';
import { Facts } from './facts/facts.js';
import type { GatewayConfig } from './gateway.config.js';
import { GatewayModule } from './gateway.module.js';
import { DailyCaps } from './lease/daily-caps.js';
import { LeaseClient } from './lease/lease-client.js';
import { ApiListener } from './listener/api-listener.js';
import { probePort } from './listener/port-probe.js';
import { RequestPath } from './request/request-path.js';
import { ErrorPages } from './problems/error-pages.js';
import { ProblemBodies } from './problems/problem-body.js';
import { ClassConcurrency } from './rate-limits/class-concurrency.js';
import { LoadShedder } from './request/01-shed.js';
import { FailedKeys } from './facts/failed-keys.js';
import { OPERATIONS, type Operation } from '#libs/contracts';
import { ownOperations } from './owners/own-operations.js';
import { Forwarder } from './request/08-forward.js';
import { Settlement } from './request/10-settle.js';
import { ownerChecks } from './owner-reach.js';
import { RequestLog } from './request-log/request-log.js';
import {
  RequestLogCopy,
  RequestLogMaintenanceRepository,
  RequestLogRepository,
} from './request-log/request-log.repository.js';
import { KeyUseJob } from './request-log/key-use.job.js';
import { RollUpJob, rollPartitions } from './request-log/roll-up.job.js';
import { ApiPaths } from './routes/api-paths.js';
import { Services } from './services.js';
import { addGatewayMetrics } from './telemetry/gateway-metrics.js';
import { RequestCounts } from './telemetry/request-counts.js';

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

export const JOBS: readonly JobDeclaration[] = [
  { job: RollUpJob, everyMs: MINUTE_MS, runs: 'installation' },
];

/** A gateway that answers. */
export interface RunningGateway extends RunningService {
  /** Origin of the public API's listener. */
  apiUrl: string;
  /** Origin of the dashboard's listener. */
  dashboardUrl: string;
  facts: Facts;
  services: Services;
  /** Renders refusals as every listener of the gateway does. */
  bodies: ProblemBodies;
}

const POOL_SIZE = 10;
const SETTLE_TIMEOUT_MS = 5_000;
const LEASE_DEADLINE_SLACK_MS = 1_000;

/** Starts databases, facts, leases, request log, internal listener, then the two public ones. */
export async function startGateway(options: StartGateway): Promise<RunningGateway> {
  const { config, clock, logger, transport } = options;
  await probePorts(config);
  const hidden = hiddenClientsOf(config);
  if (hidden) logger.warn(hidden);
  const parts = await buildParts(options);
  const { database, maintenance, facts, services, leases, pollers, shedder } = parts;
  const { log, keyUse, copy } = parts;
  const metrics = metricsOf(parts, transport);
  const service = await startService({
    module: GatewayModule.register({
      secret: config,
      clock,
      logger,
      database,
      maintenance,
      facts,
      metrics,
    }),
    logger,
    host: config.internalHost,
    port: config.internalPort,
    strategy: transport.strategyFor('gateway', database),
  });
  const schedule = new Schedule(logger);
  // A log that is locked or slow holds up no start: its lines wait in memory.
  void rollPartitions(service.app.get(RequestLogMaintenanceRepository), clock).catch((error) =>
    logger.warn('the partitions of the request log cannot be made now', error),
  );
  scheduleJobs(schedule, service, JOBS);
  await pollers.start();
  leases.start();
  log.start();
  schedule.every(MINUTE_MS, keyUse);
  shedder.start();
  const health = service.app.get(Health, { strict: false });
  watch(health, parts, transport);
  for (const [name, check] of ownerChecks(config)) health.add({ name, isOptional: true, check });
  const listener = new ApiListener({
    host: config.host,
    port: config.port,
    origin: config.baseUrl,
    reusePort: config.reusePort,
    paths: parts.paths,
    requestPath: parts.requestPath,
    bodies: parts.bodies,
    pages: await ErrorPages.load(),
    dashboardUrl: config.billingUrl,
    health,
    clock,
    logger,
    limits: { ...config, requestTimeoutMs: config.headersTimeoutMs },
  });
  const apiUrl = await listener.start();
  const dashboard = await startOwnDashboard(options, parts);
  const stop = async () => {
    health.drain();
    listener.drain();
    await sleep(config.drainNoticeMs);
    await Promise.all([drainListener(listener, shedder, config.drainMs), dashboard.stop()]);
    await leases.drain(SETTLE_TIMEOUT_MS);
    await schedule.stop();
    await Promise.all([log.stop(), keyUse.runOnce(), parts.counters.close()]);
    [pollers, shedder].forEach((part) => part.stop());
    await service.stop();
    await Promise.all([parts.forwarder.close(), services.close(), copy.close()]);
    await Promise.all([database.close(), maintenance.close()]);
  };
  const { url: dashboardUrl } = dashboard;
  return { ...service, apiUrl, dashboardUrl, facts, services, bodies: parts.bodies, stop };
}

/** What a gateway answers without, named in its readiness. */
function watch(health: Health, { database, counters }: GatewayParts, transport: EventTransport) {
  const checks = {
    database: async () => void (await database.query('select 1')),
    broker: () => transport.check(),
    counters: async () => {
      if (counters.mode() === 'alone') throw new Error('Valkey does not answer');
    },
  };
  for (const [name, check] of Object.entries(checks)) health.add({ name, isOptional: true, check });
}

/** @throws naming the setting of the first port that somebody listens on. */
async function probePorts(config: GatewayConfig): Promise<void> {
  if (!config.reusePort) {
    await probePort(config.host, config.port, 'GATEWAY_PORT');
    await probePort(config.dashboardHost, config.dashboardPort, 'DASHBOARD_PORT');
  }
  await probePort(config.internalHost, config.internalPort, 'GATEWAY_INTERNAL_PORT');
}

async function startOwnDashboard(options: StartGateway, parts: GatewayParts) {
  const { config } = options;
  return startDashboard({
    ...options,
    publicUrl: config.billingUrl,
    apiUrl: config.baseUrl,
    host: config.dashboardHost,
    port: config.dashboardPort,
    reusePort: config.reusePort,
    owners: {
      account: config.accountUrl,
      billing: config.billingInternalUrl,
      entitlement: config.entitlementUrl,
      lookup: config.lookupUrl,
    },
    entitlement: parts.services.entitlement,
    tokens: parts.tokens,
    bodies: parts.bodies,
    trustedProxies: config.trustedProxies,
  });
}

async function drainListener(
  listener: ApiListener,
  shedder: LoadShedder,
  drainMs: number,
): Promise<void> {
  const closed = listener.close();
  const until = monotonicMs() + drainMs;
  while ((shedder.inFlight > 0 || listener.isSending) && monotonicMs() < until) await sleep(10);
  listener.closeAll();
  await closed;
}

type GatewayParts = Awaited<ReturnType<typeof buildParts>>;

function metricsOf(parts: GatewayParts, transport: EventTransport): Metrics {
  const { database, maintenance } = parts;
  const metrics = new Metrics();
  addGatewayMetrics(metrics, parts);
  addPoolMetrics(metrics, { gateway: database, maintenance });
  addEventMetrics(metrics, { service: 'gateway', transport, database });
  return metrics;
}

/** What asks and remembers; the path itself is put together from it. */
async function buildParts({ config, clock, logger, operations = OPERATIONS }: StartGateway) {
  const tokens = new ServiceTokens(new ServiceSecret(config, logger), clock);
  const services = new Services(config, tokens);
  const { account, entitlement } = services;
  const { database, maintenance } = await openDatabases(config);
  const requestLog = new RequestLogRepository(database);
  const caps = dailyCaps(requestLog, clock);
  const facts = new Facts({
    account,
    entitlement,
    clock,
    keyPepper: config.keyPepper,
    beforeUse: async (key) => caps.prepare(key),
  });
  const pollers = new ChangePollers({
    facts,
    logger,
    sources: [
      { name: 'account', changes: async (cursor) => account.changes(cursor) },
      { name: 'entitlement', changes: async (cursor) => entitlement.changes(cursor) },
    ],
  });
  const leases = new LeaseClient({
    client: entitlement,
    logger,
    journalPath: config.journalPath,
    requestDeadlineMs: config.lookupTimeoutMs + LEASE_DEADLINE_SLACK_MS,
  });
  const maintained = new RequestLogMaintenanceRepository(maintenance);
  const copy = new RequestLogCopy(config.databaseUrl, async () =>
    rollPartitions(maintained, clock),
  );
  const counters = await countersOf(config, logger);
  const log = new RequestLog(copy, logger);
  const keyUse = new KeyUseJob(account, logger);
  const bodies = new ProblemBodies(config.baseUrl, clock);
  const path = buildRequestPath({
    requestLog,
    operations,
    config,
    clock,
    logger,
    tokens,
    caps,
    facts,
    leases,
    log,
    keyUse,
    bodies,
    counters,
  });
  return {
    tokens,
    services,
    database,
    maintenance,
    facts,
    pollers,
    leases,
    copy,
    log,
    keyUse,
    bodies,
    counters,
    ...path,
  };
}

interface PathParts extends Pick<StartGateway, 'config' | 'clock' | 'logger'> {
  operations: readonly Operation[];
  requestLog: RequestLogRepository;
  tokens: ServiceTokens;
  caps: DailyCaps;
  facts: Facts;
  leases: LeaseClient;
  log: RequestLog;
  keyUse: KeyUseJob;
  bodies: ProblemBodies;
  counters: Counters;
}

function buildRequestPath({ config, clock, logger, tokens, bodies, ...parts }: PathParts) {
  const paths = new ApiPaths(parts.operations);
  const forwarder = new Forwarder({
    url: config.lookupUrl,
    socketPath: config.lookupSocket,
    tokens,
    timeoutMs: config.lookupTimeoutMs,
    owners: { account: config.accountUrl, entitlement: config.entitlementUrl },
    own: ownOperations({ requestLog: parts.requestLog, clock }),
    operations: paths.operations,
  });
  const shedder = new LoadShedder({
    inFlightMax: config.inFlightMax,
    delayMaxMs: config.loopDelayMaxMs,
  });
  const { caps, facts, leases, log, keyUse } = parts;
  const { window, repeats } = parts.counters;
  const counts = new RequestCounts(paths.routes);
  const requestPath = new RequestPath({
    shedder,
    facts,
    repeats,
    leases,
    caps,
    forwarder,
    logger,
    failedKeys: new FailedKeys(config.failedKeysMax),
    window,
    concurrency: new ClassConcurrency(),
    settlement: new Settlement({ leases, caps, repeats, log, keyUse, clock, counts }),
    answers: { bodies },
    trustedProxies: blockListOf(config.trustedProxies),
  });
  return { paths, forwarder, shedder, requestPath, counts };
}

async function openDatabases(config: GatewayConfig) {
  const database = await Database.open({
    url: config.databaseUrl,
    applicationName: 'gateway',
    poolSize: POOL_SIZE,
  });
  const maintenance = await Database.open({
    url: config.maintenanceDatabaseUrl,
    applicationName: 'gateway maintenance',
    poolSize: 2,
  });
  return { database, maintenance };
}

async function countersOf(config: GatewayConfig, logger: Logger): Promise<Counters> {
  return openCounters({
    url: config.valkeyUrl,
    tlsCa: config.valkeyTlsCa,
    timeoutMs: config.valkeyTimeoutMs,
    secret: config.keyPepper,
    gatewayId: newId(),
    logger,
  });
}

function dailyCaps(log: RequestLogRepository, clock: Clock): DailyCaps {
  const loggedToday = async (keyIds: string[]) => {
    const now = clock.now().getTime();
    return log.sumCreditsOfKeys(keyIds, new Date(now - (now % DAY_MS)));
  };
  return new DailyCaps(clock, loggedToday);
}
