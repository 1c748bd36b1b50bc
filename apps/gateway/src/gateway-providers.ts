import type { FactoryProvider } from '@nestjs/common';
import { type Counters, openCounters } from '#libs/counters';
import { blockListOf } from '#libs/domain-names';
import {
  Clock,
  DAY_MS,
  Health,
  Logger,
  MINUTE_MS,
  ServiceTokens,
  newId,
  serviceOrigins,
} from '#libs/platform';
import { ProblemBodies, Transfers } from '#libs/public-http';
import { ChangePollers } from './auth-cache/change-pollers.js';
import { FailedKeys } from './auth-cache/failed-keys.js';
import { AuthCache } from './auth-cache/auth-cache.js';
import { GatewayConfig } from './gateway.config.js';
import { RequestBodies } from './context/request-body.js';
import { DailyCaps } from './lease/daily-caps.js';
import { FollowCapsJob } from './lease/follow-caps.job.js';
import { RequestHolds } from './holds/request-holds.js';
import { KeptAnswers } from './kept-answers/kept-answers.js';
import { KeptAnswersRepository } from './kept-answers/kept-answers.repository.js';
import { LeaseClient } from './lease/lease-client.js';
import { ApiListener } from './listener/api-listener.js';
import { ownOperations } from './owners/own-operations.js';
import { ErrorPages } from './reference/error-pages.js';
import { ClassConcurrency } from './rate-limits/class-concurrency.js';
import { RefusalDelays } from './rate-limits/refusal-delays.js';
import { RefusedConnections } from './rate-limits/refused-connections.js';
import { LoadShedder } from './request/01-shed.js';
import { Forwarder } from './request/08-forward.js';
import { RequestRecorder } from './request/10-record.js';
import { RequestPath } from './request/request-path.js';
import { McpEndpoint } from './mcp/mcp-endpoint.js';
import { CountRefusalsJob } from './request-log/count-refusals.job.js';
import { KeyUseJob } from './request-log/key-use.job.js';
import { MissingRows } from './request-log/missing-rows.js';
import { RequestLog } from './request-log/request-log.js';
import { LogMaintenanceRepository } from './request-log/log-maintenance.repository.js';
import { RequestLogCopy, RequestLogRepository } from './request-log/request-log.repository.js';
import { ApiPaths } from './routes/api-paths.js';
import { Services } from './services.js';
import { RequestCounts } from './telemetry/request-counts.js';
import { RequestsService } from './usage/requests.service.js';
import { UsageService } from './usage/usage.service.js';

/** The injection token for `Counters`, which is an interface and has no token of its own. */
export const COUNTERS = Symbol('counters');

const LEASE_DEADLINE_SLACK_MS = 1_000;
/** Slow clients must read a streamed answer within this many times lookup's time limit. */
const STREAM_FACTOR = 2;

type Given<I> = {
  [K in keyof I]: I[K] extends abstract new (...parts: never[]) => infer T ? T : Counters;
};
type Tokens = Record<string, (abstract new (...parts: never[]) => unknown) | typeof COUNTERS>;

function made<const I extends Tokens>(
  provide: Tokens[string],
  inject: I,
  make: (given: Given<I>) => unknown,
): FactoryProvider {
  const names = Object.keys(inject);
  return {
    provide: provide as FactoryProvider['provide'],
    inject: Object.values(inject) as FactoryProvider['inject'],
    useFactory: (...given: unknown[]) =>
      make(Object.fromEntries(names.map((name, place) => [name, given[place]])) as Given<I>),
  };
}

const KNOWLEDGE = [
  made(
    Services,
    { config: GatewayConfig, tokens: ServiceTokens },
    ({ config, tokens }) => new Services(config, tokens),
  ),
  made(
    DailyCaps,
    { clock: Clock, log: RequestLogRepository, missing: MissingRows },
    ({ clock, log, missing }) =>
      new DailyCaps(clock, async (keyIds) => {
        await missing.settled();
        const now = clock.now().getTime();
        return log.sumCreditsOfKeys(keyIds, new Date(now - (now % DAY_MS)));
      }),
  ),
  made(
    FollowCapsJob,
    { caps: DailyCaps, logger: Logger },
    ({ caps, logger }) => new FollowCapsJob(caps, logger),
  ),
  made(
    AuthCache,
    { config: GatewayConfig, clock: Clock, services: Services, caps: DailyCaps },
    ({ config: { keyPepper }, clock, services: { account, entitlement }, caps }) =>
      new AuthCache({
        account,
        entitlement,
        clock,
        keyPepper,
        beforeUse: async (key) => caps.prepare(key),
      }),
  ),
  made(
    ChangePollers,
    { authCache: AuthCache, services: Services, logger: Logger },
    ({ authCache, services: { account, entitlement }, logger }) =>
      new ChangePollers({
        authCache,
        logger,
        sources: [
          { name: 'account', changes: async (cursor) => account.changes(cursor) },
          { name: 'entitlement', changes: async (cursor) => entitlement.changes(cursor) },
        ],
      }),
  ),
  made(
    LeaseClient,
    {
      config: GatewayConfig,
      services: Services,
      log: RequestLog,
      copy: RequestLogCopy,
      missing: MissingRows,
      logger: Logger,
    },
    ({ config, services, log, copy, missing, logger }) => {
      const leases = new LeaseClient({
        client: services.entitlement,
        logger,
        journalPath: config.journalPath,
        requestDeadlineMs: config.lookupTimeoutMs + LEASE_DEADLINE_SLACK_MS,
        log: {
          unwrittenRows: () => log.unwrittenRows(),
          onWritten: (listener) => log.onWritten(listener),
          writerId: copy.writerId,
          restore: async (rows, writerIds) => missing.restore(rows, writerIds),
        },
      });
      copy.isJournalOwn = () => leases.journal.isOwn;
      return leases;
    },
  ),
  made(
    RequestHolds,
    {
      config: GatewayConfig,
      services: Services,
      leases: LeaseClient,
      clock: Clock,
      logger: Logger,
    },
    ({ config, services, leases, clock, logger }) => {
      const { journal, pools } = leases;
      const requestDeadlineMs = config.lookupTimeoutMs + LEASE_DEADLINE_SLACK_MS;
      const client = services.entitlement;
      const holds = new RequestHolds({ client, journal, pools, clock, logger, requestDeadlineMs });
      leases.holds = holds;
      return holds;
    },
  ),
  made(COUNTERS, { config: GatewayConfig, logger: Logger }, ({ config, logger }) =>
    openCounters({
      url: config.valkeyUrl && (() => config.valkeyUrl),
      tlsCa: config.valkeyTlsCa,
      timeoutMs: config.valkeyTimeoutMs,
      secret: config.keyPepper,
      gatewayId: newId(),
      logger,
    }),
  ),
];

const LOG = [
  made(
    RequestLogCopy,
    { config: GatewayConfig, clock: Clock, maintained: LogMaintenanceRepository },
    ({ config, clock, maintained }) =>
      new RequestLogCopy(
        () => config.databaseUrl,
        async (days) => maintained.makePartitionsOf(days, clock.now()),
      ),
  ),
  made(
    RequestLog,
    { copy: RequestLogCopy, logger: Logger },
    ({ copy, logger }) => new RequestLog(copy, logger),
  ),
  made(
    MissingRows,
    { log: RequestLogRepository, copy: RequestLogCopy, logger: Logger },
    ({ log, copy, logger }) =>
      new MissingRows(
        {
          insertMissing: async (entries) => log.insertMissing(entries),
          endWriters: async (writerIds) => log.endWriters(writerIds),
          makePartitions: copy.makePartitions,
        },
        logger,
      ),
  ),
  made(
    CountRefusalsJob,
    { log: RequestLogRepository, clock: Clock, logger: Logger },
    ({ log, clock, logger }) => new CountRefusalsJob(log, clock, logger),
  ),
  made(
    KeyUseJob,
    { services: Services, logger: Logger },
    ({ services, logger }) => new KeyUseJob(services.account, logger),
  ),
];

/** The request path: plain objects that are called without Nest's guards and pipes. */
const PATH = [
  made(
    ProblemBodies,
    { config: GatewayConfig, clock: Clock },
    ({ config, clock }) => new ProblemBodies(config.baseUrl, clock, shopUrlOf(config)),
  ),
  made(
    Forwarder,
    {
      config: GatewayConfig,
      tokens: ServiceTokens,
      usage: UsageService,
      requests: RequestsService,
    },
    ({ config, tokens, usage, requests }) =>
      new Forwarder({
        origins: serviceOrigins(config),
        sockets: { lookup: config.lookupSocket },
        tokens,
        timeoutMs: config.lookupTimeoutMs,
        trustedProxies: blockListOf(config.trustedProxies),
        own: ownOperations(usage, requests),
      }),
  ),
  made(
    LoadShedder,
    { config: GatewayConfig },
    ({ config: { inFlightMax, loopDelayMaxMs: delayMaxMs } }) =>
      new LoadShedder({ inFlightMax, delayMaxMs }),
  ),
  made(RequestCounts, { paths: ApiPaths }, ({ paths }) => new RequestCounts(paths.routes)),
  made(
    RequestRecorder,
    {
      leases: LeaseClient,
      caps: DailyCaps,
      counters: COUNTERS,
      log: RequestLog,
      refusals: CountRefusalsJob,
      keyUse: KeyUseJob,
      clock: Clock,
      counts: RequestCounts,
    },
    ({ counters: { repeatWindow }, ...others }) => new RequestRecorder({ repeatWindow, ...others }),
  ),
  made(
    KeptAnswers,
    { config: GatewayConfig, answers: KeptAnswersRepository, clock: Clock, logger: Logger },
    ({ config, ...others }) =>
      new KeptAnswers({
        ...others,
        requestDeadlineMs: config.lookupTimeoutMs + LEASE_DEADLINE_SLACK_MS + MINUTE_MS,
      }),
  ),
  made(RefusedConnections, {}, () => new RefusedConnections()),
  made(
    RefusalDelays,
    { config: GatewayConfig },
    ({ config }) => new RefusalDelays(config.refusalDelayMs),
  ),
  made(
    RequestBodies,
    { config: GatewayConfig },
    ({ config }) => new RequestBodies(config.headersTimeoutMs, blockListOf(config.trustedProxies)),
  ),
  made(FailedKeys, { config: GatewayConfig }, ({ config }) => new FailedKeys(config.failedKeysMax)),
  made(
    RequestPath,
    {
      config: GatewayConfig,
      shedder: LoadShedder,
      failedKeys: FailedKeys,
      authCache: AuthCache,
      counters: COUNTERS,
      leases: LeaseClient,
      holds: RequestHolds,
      caps: DailyCaps,
      forwarder: Forwarder,
      recorder: RequestRecorder,
      keptAnswers: KeptAnswers,
      requestBodies: RequestBodies,
      refusedConnections: RefusedConnections,
      refusalDelays: RefusalDelays,
      bodies: ProblemBodies,
      logger: Logger,
    },
    ({
      config,
      counters: { rateLimiter, repeatWindow },
      bodies,
      refusedConnections,
      refusalDelays,
      ...others
    }) => {
      const trustedProxies = blockListOf(config.trustedProxies);
      return new RequestPath({
        ...others,
        rateLimiter,
        repeatWindow,
        transfers: new Transfers(config.transferIdleMs, others.logger),
        answers: {
          bodies,
          refusedConnections,
          refusalDelays,
          trustedProxies,
          streamMs: STREAM_FACTOR * config.lookupTimeoutMs,
        },
        concurrency: new ClassConcurrency(),
        trustedProxies,
      });
    },
  ),
  made(
    McpEndpoint,
    {
      config: GatewayConfig,
      paths: ApiPaths,
      requestPath: RequestPath,
      requestBodies: RequestBodies,
      authCache: AuthCache,
      failedKeys: FailedKeys,
      refusedConnections: RefusedConnections,
      refusalDelays: RefusalDelays,
      counters: COUNTERS,
      bodies: ProblemBodies,
      logger: Logger,
    },
    ({ config, counters: { rateLimiter }, ...others }) =>
      new McpEndpoint({
        ...others,
        rateLimiter,
        trustedProxies: blockListOf(config.trustedProxies),
        origin: config.baseUrl,
      }),
  ),
  made(
    ApiListener,
    {
      config: GatewayConfig,
      paths: ApiPaths,
      requestPath: RequestPath,
      mcp: McpEndpoint,
      bodies: ProblemBodies,
      health: Health,
      clock: Clock,
      logger: Logger,
    },
    async ({ config, ...others }) =>
      new ApiListener({
        ...others,
        origin: config.baseUrl,
        host: config.host,
        port: config.port,
        reusePort: config.reusePort,
        plainConnections: config.plainConnections,
        pages: await ErrorPages.load(),
        dashboardUrl: config.billingUrl,
        limits: {
          ...config,
          trustedProxies: blockListOf(config.trustedProxies),
          requestTimeoutMs: config.headersTimeoutMs,
        },
      }),
  ),
];

/** Providers that are built from other providers, in the order of their dependencies. */
export const MADE: readonly FactoryProvider[] = [...KNOWLEDGE, ...LOG, ...PATH];

/** Returns the origin of the dashboard, which sells credits and plans; undefined without billing. */
function shopUrlOf({ billingInternalUrl, billingUrl }: GatewayConfig): string | undefined {
  return billingInternalUrl === undefined ? undefined : new URL(billingUrl).origin;
}
