import {
  AuditJob,
  RollPartitionsJob,
  addInvariantMetrics,
  openAuditorDatabase,
  openServiceDatabases,
} from '#libs/database';
import type { EventTransport } from '#libs/messaging';
import {
  type Clock,
  HOUR_MS,
  type Logger,
  MINUTE_MS,
  Metrics,
  type RunningService,
  SECOND_MS,
  startService,
} from '#libs/platform';
import { type JobDeclaration, startBackgroundWork } from '#libs/services';
import { CheckpointJob } from './checkpoints/checkpoint.job.js';
import type { EntitlementConfig } from './entitlement.config.js';
import { ENTITIES, EntitlementModule } from './entitlement.module.js';
import { AdvanceAccountsJob } from './due-accounts/advance-accounts.job.js';
import { ForgetHoldsJob } from './holds/forget-holds.job.js';
import { ReapJob } from './reaper/reap.job.js';
import { addEntitlementMetrics } from './telemetry/entitlement-metrics.js';

export const JOBS: readonly JobDeclaration[] = [
  { job: ReapJob, everyMs: 2 * SECOND_MS, runs: 'process' },
  { job: AdvanceAccountsJob, everyMs: 30 * SECOND_MS, runs: 'process' },
  { job: AuditJob, everyMs: 5 * MINUTE_MS, runs: 'process' },
  { job: CheckpointJob, everyMs: HOUR_MS, runs: 'installation' },
  { job: ForgetHoldsJob, everyMs: HOUR_MS, runs: 'installation' },
  { job: RollPartitionsJob, everyMs: HOUR_MS, runs: 'installation' },
];

export interface EntitlementOptions {
  config: EntitlementConfig;
  clock: Clock;
  logger: Logger;
  transport: EventTransport;
  /** If false, jobs run only when they are called; true by default. */
  isScheduled?: boolean;
}

/**
 * Starts the entitlement service: databases, consumers, listener, relay and jobs. `stop` stops them in reverse order.
 */
export async function startEntitlement(options: EntitlementOptions): Promise<RunningService> {
  const { config, logger, transport } = options;
  const { database, maintenanceDatabase } = await openServiceDatabases(
    'entitlement',
    config,
    ENTITIES,
  );
  const auditorDatabase = await openAuditorDatabase('entitlement', config);
  const databases = { database, maintenanceDatabase, auditorDatabase };
  const service = await startService({
    module: EntitlementModule.register({ ...options, ...databases }),
    logger,
    port: config.port,
    host: config.host,
    config,
    strategy: transport.strategyFor('entitlement', database),
  });
  const metrics = service.app.get(Metrics, { strict: false });
  addEntitlementMetrics(metrics, maintenanceDatabase);
  addInvariantMetrics(metrics, 'entitlement', service.app.get(AuditJob));
  const jobs = (options.isScheduled ?? true) ? JOBS : [];
  const work = { name: 'entitlement', logger, transport, jobs, ...databases } as const;
  return startBackgroundWork(service, work);
}
