import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ownerChecks } from '#libs/contracts';
import type { Counters } from '#libs/counters';
import {
  AuditJob,
  AuditorDatabase,
  Database,
  MaintenanceDatabase,
  RollPartitionsJob,
  addInvariantMetrics,
  addPoolMetrics,
} from '#libs/database';
import { EventTransport, addEventMetrics } from '#libs/messaging';
import {
  HOUR_MS,
  Health,
  Logger,
  MINUTE_MS,
  Metrics,
  SECOND_MS,
  ServiceTokens,
  serviceOrigins,
} from '#libs/platform';
import { type JobDeclaration, type RunningJobs, startJobs } from '#libs/services';
import { ChangePollers } from './auth-cache/change-pollers.js';
import { AuthCache } from './auth-cache/auth-cache.js';
import { GatewayConfig } from './gateway.config.js';
import { COUNTERS } from './gateway-providers.js';
import { RequestHolds } from './holds/request-holds.js';
import { ForgetAnswersJob } from './kept-answers/forget-answers.job.js';
import { LeaseClient } from './lease/lease-client.js';
import { PublicListener } from './listener/public-listener.js';
import { LoadShedder } from './request/01-shed.js';
import { Forwarder } from './request/08-forward.js';
import { FollowCapsJob } from './lease/follow-caps.job.js';
import { CountRefusalsJob } from './request-log/count-refusals.job.js';
import { EraseLogsJob } from './request-log/erase-logs.job.js';
import { KeyUseJob } from './request-log/key-use.job.js';
import { MissingRows } from './request-log/missing-rows.js';
import { RequestLog } from './request-log/request-log.js';
import { RequestLogCopy } from './request-log/request-log.repository.js';
import { RollUpJob } from './request-log/roll-up.job.js';
import { Services } from './services.js';
import { addGatewayMetrics } from './telemetry/gateway-metrics.js';
import { RequestCounts } from './telemetry/request-counts.js';

export const JOBS: readonly JobDeclaration[] = [
  { job: RollUpJob, everyMs: MINUTE_MS, runs: 'installation' },
  { job: RollPartitionsJob, everyMs: HOUR_MS, runs: 'installation' },
  { job: AuditJob, everyMs: 5 * MINUTE_MS, runs: 'process' },
  { job: EraseLogsJob, everyMs: MINUTE_MS, runs: 'installation' },
  { job: ForgetAnswersJob, everyMs: HOUR_MS, runs: 'installation' },
  { job: KeyUseJob, everyMs: MINUTE_MS, runs: 'process' },
  { job: CountRefusalsJob, everyMs: MINUTE_MS, runs: 'process' },
  { job: FollowCapsJob, everyMs: SECOND_MS, runs: 'process' },
];

const SETTLE_TIMEOUT_MS = 5_000;

/**
 * Starts and stops the parts of the gateway in order, because Nest guarantees no order between providers. A stop has
 * two stages; between them, Nest closes the internal listener and the consumers.
 */
@Injectable()
export class GatewayLifecycle
  implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown
{
  private jobs?: RunningJobs;

  constructor(
    private readonly providers: ModuleRef,
    private readonly leases: LeaseClient,
    private readonly pollers: ChangePollers,
    private readonly shedder: LoadShedder,
    @Inject(COUNTERS) private readonly counters: Counters,
    private readonly logger: Logger,
  ) {}

  /** Starts everything except the public listener, which opens only once the internal listener answers. */
  async onApplicationBootstrap(): Promise<void> {
    this.declareMetrics();
    this.declareHealth();
    // A locked or slow request log does not delay the start. Its lines wait in memory.
    this.jobs = startJobs({ app: this.providers }, this.logger, JOBS);
    await this.pollers.start();
    this.leases.start();
    this.get(RequestLog).start();
    this.shedder.start();
  }

  /** Shuts down in this order: readiness, listener, running requests, leases and holds, jobs, log, change feeds. */
  async onModuleDestroy(): Promise<void> {
    await this.get(PublicListener).drain();
    // Rows that are still missing from the log are written at the next start.
    this.get(MissingRows).stop();
    await Promise.all([
      this.leases.drain(SETTLE_TIMEOUT_MS),
      this.get(RequestHolds).drain(SETTLE_TIMEOUT_MS),
    ]);
    await this.jobs?.stop();
    const [log, keyUse] = [this.get(RequestLog), this.get(KeyUseJob)];
    await Promise.all([log.stop(), keyUse.runOnce(), this.counters.close()]);
    await this.pollers.stop();
    this.shedder.stop();
  }

  /** Closes all connections; those to the databases are last. */
  async onApplicationShutdown(): Promise<void> {
    const connections = [this.get(Forwarder), this.get(Services), this.get(RequestLogCopy)];
    await Promise.all(connections.map((connection) => connection.close()));
    await Promise.all(Object.values(this.databases).map((database) => database.close()));
  }

  private declareMetrics(): void {
    const { leases, pollers, shedder, counters } = this;
    const metrics = this.get(Metrics);
    const { database } = this;
    addGatewayMetrics(metrics, {
      leases,
      pollers,
      shedder,
      counters,
      counts: this.get(RequestCounts),
      log: this.get(RequestLog),
      authCache: this.get(AuthCache),
    });
    addPoolMetrics(metrics, this.databases);
    addInvariantMetrics(metrics, 'gateway', this.get(AuditJob));
    addEventMetrics(metrics, {
      service: 'gateway',
      transport: this.providers.get(EventTransport, { strict: false }),
      database,
    });
  }

  /** Declares the checks that `/ready` lists. Only the check of the public listener is required. */
  private declareHealth(): void {
    const transport = this.providers.get<EventTransport>(EventTransport, { strict: false });
    const checks = {
      database: async () => void (await this.database.query('select 1')),
      broker: () => transport.check(),
      counters: async () => {
        if (this.counters.mode() === 'alone') throw new Error('Valkey does not answer');
      },
    };
    const health = this.get(Health);
    const listener = this.get(PublicListener);
    const opened = async () => {
      if (!listener.url) throw new Error('the public listener is not open yet');
    };
    health.add({ name: 'listener', check: opened });
    const owners = ownerChecks(
      serviceOrigins(this.get(GatewayConfig)),
      this.get(ServiceTokens).tls,
    );
    for (const [name, check] of [...Object.entries(checks), ...owners]) {
      health.add({ name, isOptional: true, check });
    }
  }

  private get database(): Database {
    return this.providers.get<Database>(Database, { strict: false });
  }

  /** The databases, each under the role that opens it. */
  private get databases(): Record<string, Database> {
    const of = (token: abstract new (...given: never[]) => unknown) =>
      this.providers.get<Database>(token as never, { strict: false });
    return {
      gateway: this.database,
      maintenance: of(MaintenanceDatabase),
      auditor: of(AuditorDatabase),
    };
  }

  private get<T>(type: new (...given: never[]) => T): T {
    return this.providers.get(type, { strict: false });
  }
}
