import { readFile } from 'node:fs/promises';
import { Database, RollPartitionsJob } from '#libs/database';
import type { EventTransport } from '#libs/messaging';
import {
  type Clock,
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  Metrics,
  type Logger,
  type RunningService,
  SECOND_MS,
  startService,
} from '#libs/platform';
import { SafeConnector, parseUpstreamExceptions } from '#libs/resolvers';
import { type JobDeclaration, startBackgroundWork } from '#libs/services';
import type { CorpusConfig } from './corpus.config.js';
import { CorpusModule } from './corpus.module.js';
import { HttpsDownloads } from './locations/https-downloads.js';
import { ImportFilesService } from './imports/import-files.service.js';
import { addImportMetrics } from './telemetry/import-metrics.js';
import { ImportsJob } from './imports/imports.job.js';
import { HandOverJob } from './removals/hand-over.job.js';
import { TrainModelJob } from './signals/train-model.job.js';
import { EraseSuppressedJob } from './suppression/erase-suppressed.job.js';

/** The time limit is long, because a batch of observations waits for the previous batch. */
const WRITE_TIMEOUT_MS = 60_000;
const WRITERS = 4;
/** The maximum size of a batch from lookup, in bytes. */
const OBSERVATIONS_LIMIT_BYTES = 8 * 1024 * 1024;

export const JOBS: readonly JobDeclaration[] = [
  { job: RollPartitionsJob, everyMs: HOUR_MS, runs: 'installation' },
  // The job itself selects the sources that are due.
  { job: ImportsJob, everyMs: 2 * SECOND_MS, runs: 'installation' },
  { job: TrainModelJob, everyMs: DAY_MS, runs: 'installation' },
  { job: HandOverJob, everyMs: 5 * SECOND_MS, runs: 'installation' },
  { job: EraseSuppressedJob, everyMs: MINUTE_MS, runs: 'installation' },
];

export interface CorpusOptions {
  config: CorpusConfig;
  clock: Clock;
  logger: Logger;
  transport: EventTransport;
}

/** Starts the corpus: databases, listener, jobs. `stop` closes all of them. */
export async function startCorpus(options: CorpusOptions): Promise<RunningService> {
  const { config, logger, transport } = options;
  const database = await Database.open({
    url: () => config.databaseUrl,
    applicationName: 'corpus',
    poolSize: WRITERS,
    statementTimeoutMs: WRITE_TIMEOUT_MS,
  });
  const searchDatabase = await Database.open({
    url: () => config.databaseUrl,
    applicationName: 'corpus searches',
    poolSize: config.searches,
    connectTimeoutMs: config.searchTimeoutMs,
    statementTimeoutMs: config.searchTimeoutMs,
    // By then, the server has cancelled the statement or does not answer, so the connection must be freed for other
    // searches.
    answerTimeoutMs: 2 * config.searchTimeoutMs,
  });
  const maintenanceDatabase = await Database.open({
    url: () => config.maintenanceDatabaseUrl,
    applicationName: 'corpus maintenance',
    poolSize: 2,
  });
  const downloads = await downloadsOf(config);
  const databases = { database, maintenanceDatabase, downloads };
  const service = await startService({
    rawBodyLimitBytes: OBSERVATIONS_LIMIT_BYTES,
    module: CorpusModule.register({ ...options, ...databases, searchDatabase }),
    logger,
    port: config.port,
    host: config.host,
    config,
    strategy: transport.strategyFor('corpus', database),
  });
  addImportMetrics(
    service.app.get(Metrics, { strict: false }),
    service.app.get(ImportFilesService),
  );
  const running = startBackgroundWork(service, {
    name: 'corpus',
    logger,
    transport,
    jobs: JOBS.filter(({ job }) => job !== ImportsJob || config.work !== 'serve'),
    database,
    maintenanceDatabase,
  });
  const { stop, ...rest } = await running;
  const close = async () => {
    await downloads.close();
    await searchDatabase.close();
  };
  return { ...rest, stop: async () => stop().finally(close) };
}

async function downloadsOf(config: CorpusConfig): Promise<HttpsDownloads> {
  const { extraCaFile, upstreamExceptions, importMaxGib } = config;
  const connector = new SafeConnector({
    exceptions: parseUpstreamExceptions(upstreamExceptions),
    ...(extraCaFile !== undefined && { extraCaPem: await readFile(extraCaFile, 'utf8') }),
  });
  return new HttpsDownloads(connector, importMaxGib * 2 ** 30);
}
