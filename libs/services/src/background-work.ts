import { type Database, addPoolMetrics } from '#libs/database';
import type { FileStore } from '#libs/files';
import { type EventTransport, addEventMetrics } from '#libs/messaging';
import {
  Health,
  type Logger,
  Metrics,
  type RunningService,
  type ServiceName,
} from '#libs/platform';
import { addJobMetrics } from './job-metrics.js';
import { type JobDeclaration, startJobs } from './jobs.js';

/** The pools of a service that owns a schema, one per role; closed when the service stops. */
export interface ServiceDatabases {
  database: Database;
  maintenanceDatabase: Database;
  auditorDatabase?: Database;
}

export interface BackgroundWorkOptions extends ServiceDatabases {
  name: ServiceName;
  logger: Logger;
  transport: EventTransport;
  files?: FileStore;
  /** The jobs to run; empty if jobs should run only when they are called. */
  jobs: readonly JobDeclaration[];
}

/**
 * Starts the background work of a service with a schema: health checks, the metrics of events, pools and jobs, the
 * relay, and the jobs. @returns the service, whose `stop` also ends this work in reverse order and closes the pools.
 */
export async function startBackgroundWork(
  service: RunningService,
  options: BackgroundWorkOptions,
): Promise<RunningService> {
  const { name, logger, transport, jobs, files, database } = options;
  const { maintenanceDatabase, auditorDatabase } = options;
  const health = service.app.get(Health, { strict: false });
  health.add({ name: 'database', check: async () => void (await database.query('select 1')) });
  health.add({ name: 'broker', isOptional: true, check: () => transport.check() });
  if (files) health.add({ name: 'files', isOptional: true, check: () => files.check() });
  const metrics = service.app.get(Metrics, { strict: false });
  addEventMetrics(metrics, { service: name, transport, database });
  const auditor = auditorDatabase && { auditor: auditorDatabase };
  addPoolMetrics(metrics, { [name]: database, maintenance: maintenanceDatabase, ...auditor });
  const periodic = jobs
    .filter(({ runs }) => runs === 'installation')
    .map(({ job, everyMs }) => ({ job: service.app.get(job, { strict: false }).name, everyMs }));
  addJobMetrics(metrics, name, { database: maintenanceDatabase, jobs: periodic });
  await transport.startRelay(name, maintenanceDatabase);
  const running = startJobs(service, logger, jobs);
  return {
    ...service,
    stop: async () => {
      await running.stop();
      await transport.stopRelay(name);
      await service.stop();
      await auditorDatabase?.close();
      await maintenanceDatabase.close();
      await database.close();
    },
  };
}
