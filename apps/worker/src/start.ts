import { KeptAnswer, RollPartitionsJob, openServiceDatabases } from '#libs/database';
import type { FileStore } from '#libs/files';
import { MailSender, type MailTransport, UnsentMail, addMailMetrics } from '#libs/mail';
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
import { Registries } from '#libs/resolvers';
import { type JobDeclaration, startBackgroundWork } from '#libs/services';
import { addWorkMetrics } from '#libs/work';
import { ChunksJob } from './chunks/chunks.job.js';
import { StartJobsJob } from './chunks/start-jobs.job.js';
import { MailCreditsLowJob } from './credits-low/mail-credits-low.job.js';
import { DeliverWebhooksJob } from './deliveries/deliver-webhooks.job.js';
import { ForgetDeliveriesJob } from './deliveries/forget-deliveries.job.js';
import { WebhookSender } from './deliveries/webhook-sender.js';
import { ChargeChecksJob } from './monitor-checks/charge-checks.job.js';
import { CheckDnsJob, CheckWhoisJob } from './monitor-checks/check-names.job.js';
import { RemindExpiriesJob } from './monitor-checks/remind-expiries.job.js';
import { FollowChangesJob } from './monitor-matches/follow-changes.job.js';
import { ForgetSuppressedJob } from './monitor-news/forget-suppressed.job.js';
import { ForgetNewsJob } from './monitor-news/forget-news.job.js';
import { MailDigestsJob } from './monitor-news/mail-digests.job.js';
import { FitMonitorsJob } from './monitors/fit-monitors.job.js';
import { usePace } from './names/name-groups.js';
import { useRegistries } from './names/read-name.js';
import { CollectNamesJob } from './collector/collect-names.job.js';
import { ResolveHostsJob } from './collector/resolve-hosts.job.js';
import { AnnounceFilesJob } from './file-building/announce-files.job.js';
import { BuildFilesJob } from './file-building/build-files.job.js';
import { ExpireFilesJob } from './file-building/expire-files.job.js';
import { PlanFilesJob } from './file-building/plan-files.job.js';
import { EndJobsJob } from './results/end-jobs.job.js';
import { ExpireJobsJob } from './results/expire-jobs.job.js';
import { FailJobsJob } from './results/fail-jobs.job.js';
import { RemoveFilesJob } from './results/remove-files.job.js';
import { ExpireUploadsJob } from './upload-reading/expire-uploads.job.js';
import { ReadUploadsJob } from './upload-reading/read-uploads.job.js';
import { ServiceClients } from './service-clients.js';
import type { WorkerConfig } from './worker.config.js';
import { WorkerModule } from './worker.module.js';

export const JOBS: readonly JobDeclaration[] = [
  { job: MailSender, everyMs: SECOND_MS, runs: 'process' },
  { job: ReadUploadsJob, everyMs: SECOND_MS, runs: 'process' },
  { job: StartJobsJob, everyMs: SECOND_MS, runs: 'process' },
  { job: ChunksJob, everyMs: SECOND_MS, runs: 'process' },
  { job: EndJobsJob, everyMs: SECOND_MS, runs: 'process' },
  { job: DeliverWebhooksJob, everyMs: SECOND_MS, runs: 'process' },
  { job: MailCreditsLowJob, everyMs: SECOND_MS, runs: 'process' },
  { job: FitMonitorsJob, everyMs: SECOND_MS, runs: 'process' },
  { job: CheckDnsJob, everyMs: 5 * SECOND_MS, runs: 'process' },
  { job: CheckWhoisJob, everyMs: 5 * SECOND_MS, runs: 'process' },
  { job: ChargeChecksJob, everyMs: SECOND_MS, runs: 'process' },
  { job: FollowChangesJob, everyMs: 10 * SECOND_MS, runs: 'installation' },
  { job: BuildFilesJob, everyMs: SECOND_MS, runs: 'process' },
  { job: AnnounceFilesJob, everyMs: SECOND_MS, runs: 'process' },
  { job: RemoveFilesJob, everyMs: 10 * SECOND_MS, runs: 'process' },
  { job: MailDigestsJob, everyMs: 10 * SECOND_MS, runs: 'installation' },
  { job: RemindExpiriesJob, everyMs: HOUR_MS, runs: 'installation' },
  { job: ForgetSuppressedJob, everyMs: MINUTE_MS, runs: 'installation' },
  { job: ForgetNewsJob, everyMs: HOUR_MS, runs: 'installation' },
  { job: ExpireUploadsJob, everyMs: MINUTE_MS, runs: 'installation' },
  { job: ExpireJobsJob, everyMs: MINUTE_MS, runs: 'installation' },
  { job: FailJobsJob, everyMs: HOUR_MS, runs: 'installation' },
  { job: CollectNamesJob, everyMs: 10 * SECOND_MS, runs: 'installation' },
  { job: ResolveHostsJob, everyMs: 10 * SECOND_MS, runs: 'installation' },
  { job: PlanFilesJob, everyMs: MINUTE_MS, runs: 'installation' },
  { job: ExpireFilesJob, everyMs: HOUR_MS, runs: 'installation' },
  { job: ForgetDeliveriesJob, everyMs: HOUR_MS, runs: 'installation' },
  { job: RollPartitionsJob, everyMs: HOUR_MS, runs: 'installation' },
];

export const ENTITIES = [KeptAnswer, UnsentMail];

export interface WorkerOptions {
  config: WorkerConfig;
  clock: Clock;
  logger: Logger;
  transport: EventTransport;
  /** The e-mail transport, which its creator closes. */
  mail: MailTransport;
  /** The file store, which its creator closes. */
  files: FileStore;
}

/** Starts the worker: databases, listener and jobs. `stop` stops them in reverse order. */
export async function startWorker(options: WorkerOptions): Promise<RunningService> {
  const { config, logger, transport, files } = options;
  if (config.registriesFile) useRegistries(Registries.fromFile(config.registriesFile));
  usePace(config.upstreamPerSecond);
  const databases = await openServiceDatabases('worker', config, ENTITIES);
  const { database, maintenanceDatabase } = databases;
  const service = await startService({
    module: WorkerModule.register({ ...options, ...databases }),
    logger,
    port: config.port,
    host: config.host,
    config,
    takesUploads: true,
    strategy: transport.strategyFor('worker', database),
  });
  const clients = service.app.get(ServiceClients, { strict: false });
  const sender = service.app.get(WebhookSender, { strict: false });
  const metrics = service.app.get(Metrics, { strict: false });
  addMailMetrics(metrics, maintenanceDatabase);
  addWorkMetrics(metrics, maintenanceDatabase);
  const running = await startBackgroundWork(service, {
    name: 'worker',
    logger,
    transport,
    files,
    jobs: JOBS,
    ...databases,
  });
  return {
    ...running,
    stop: async () => running.stop().finally(() => Promise.all([clients.close(), sender.close()])),
  };
}
