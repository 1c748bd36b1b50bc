import { type DynamicModule, Module } from '@nestjs/common';
import { Pages } from '#libs/contracts';
import {
  Database,
  IdempotencyRepository,
  IdempotencyService,
  MaintenanceDatabase,
  RollPartitionsJob,
} from '#libs/database';
import { FileStore } from '#libs/files';
import { MailOutbox, MailQueue, MailSender, type MailTransport } from '#libs/mail';
import { type EventTransport, MessagingModule } from '#libs/messaging';
import { type Clock, type Logger, ServiceModule, ServiceTokens } from '#libs/platform';
import { AccountStatesRepository } from './accounts/account-states.repository.js';
import { DailyCountsRepository } from './daily-counts/daily-counts.repository.js';
import { DailyCountsService } from './daily-counts/daily-counts.service.js';
import { AccountStatesService } from './accounts/account-states.service.js';
import { AccountsService } from './accounts/accounts.service.js';
import { ErasedDataService } from './accounts/erased-data.service.js';
import { OnAccountNewsConsumer } from './accounts/on-account-news.consumer.js';
import { ChunkQuestionsService } from './chunks/chunk-questions.service.js';
import { ChunkRecordsService } from './chunks/chunk-records.service.js';
import { ChunkFeatures, ChunksJob } from './chunks/chunks.job.js';
import { ChunkRowsService } from './chunks/chunk-rows.service.js';
import { ChunksRepository } from './chunks/chunks.repository.js';
import { LeftOutLinesService } from './chunks/left-out-lines.service.js';
import { JobRows, StartJobsJob } from './chunks/start-jobs.job.js';
import { CreditsLowMailsService } from './credits-low/credits-low-mails.service.js';
import { CreditsLowQueue } from './credits-low/credits-low-queue.js';
import { MailCreditsLowJob } from './credits-low/mail-credits-low.job.js';
import { OnCreditsLowConsumer } from './credits-low/on-credits-low.consumer.js';
import { DeliverWebhooksJob, DeliveryFeatures } from './deliveries/deliver-webhooks.job.js';
import { DeliveriesRepository } from './deliveries/deliveries.repository.js';
import { DeliveriesService } from './deliveries/deliveries.service.js';
import { DeliveryQueue } from './deliveries/delivery-queue.js';
import { ForgetDeliveriesJob } from './deliveries/forget-deliveries.job.js';
import { WebhookSender } from './deliveries/webhook-sender.js';
import { ExportController } from './account-export/account-export.controller.js';
import { CollectNamesJob } from './collector/collect-names.job.js';
import { CollectedNamesRepository } from './collector/collected-names.repository.js';
import { NamesToCollectService } from './collector/names-to-collect.service.js';
import { ResolveHostsJob } from './collector/resolve-hosts.job.js';
import { AnnounceFilesJob } from './file-building/announce-files.job.js';
import { AnnounceQueue } from './file-building/announce-queue.js';
import { BuildFeatures, BuildFilesJob } from './file-building/build-files.job.js';
import { ExpireFilesJob } from './file-building/expire-files.job.js';
import { SuppressedRowsService } from './file-building/suppressed-rows.service.js';
import { FileBuilderService } from './file-building/file-builder.service.js';
import { FileBuildsService } from './file-building/file-builds.service.js';
import { FileRunsController } from './file-building/file-runs.controller.js';
import { PlanFilesJob } from './file-building/plan-files.job.js';
import { BuildQueue } from './files/build-queue.js';
import { DownloadsService } from './files/downloads.service.js';
import { FileRowsService } from './files/file-rows.service.js';
import { FilesController } from './files/files.controller.js';
import { FilesRepository } from './files/files.repository.js';
import { FilesService } from './files/files.service.js';
import { JobCreditsService } from './jobs/job-credits.service.js';
import { JobQueues } from './jobs/job-queues.js';
import { JobRowsService } from './jobs/job-rows.service.js';
import { JobsRepository } from './jobs/jobs.repository.js';
import { JobsService } from './jobs/jobs.service.js';
import { JobNames, NewJobsService } from './jobs/new-jobs.service.js';
import { ChargeChecksJob } from './monitor-checks/charge-checks.job.js';
import { CheckDnsJob, CheckWhoisJob } from './monitor-checks/check-names.job.js';
import { ChecksService } from './monitor-checks/checks.service.js';
import { PaidChecksQueue } from './monitor-checks/paid-checks-queue.js';
import { PaidChecksMaintenanceRepository } from './monitor-checks/paid-checks-maintenance.repository.js';
import { PaidChecksService } from './monitor-checks/paid-checks.service.js';
import { RemindExpiriesJob } from './monitor-checks/remind-expiries.job.js';
import { WatchedNamesMaintenanceRepository } from './monitor-checks/watched-names-maintenance.repository.js';
import { FollowChangesJob } from './monitor-matches/follow-changes.job.js';
import { MatchersService } from './monitor-matches/matchers.service.js';
import { MatchesMaintenanceRepository } from './monitor-matches/matches-maintenance.repository.js';
import { MonitorPlacesService } from './monitors/monitor-places.service.js';
import { MonitorsController } from './monitors/monitors.controller.js';
import { MonitorsRepository } from './monitors/monitors.repository.js';
import { MonitorsService } from './monitors/monitors.service.js';
import { NewMonitorsService } from './monitors/new-monitors.service.js';
import { DigestsMaintenanceRepository } from './monitor-news/digests-maintenance.repository.js';
import { ForgetSuppressedJob } from './monitor-news/forget-suppressed.job.js';
import { ForgetNewsJob } from './monitor-news/forget-news.job.js';
import { MailDigestsJob } from './monitor-news/mail-digests.job.js';
import { NewsRepository } from './monitor-news/news.repository.js';
import { NewsService } from './monitor-news/news.service.js';
import { SlotsQueue } from './monitors/slots-queue.js';
import { FitMonitorsJob } from './monitors/fit-monitors.job.js';
import { OnAllowanceChangedConsumer } from './monitors/on-allowance-changed.consumer.js';
import { NameLinesService } from './names/name-lines.service.js';
import { EndFeatures, EndJobsJob } from './results/end-jobs.job.js';
import { ExpireJobsJob } from './results/expire-jobs.job.js';
import { FailJobsJob } from './results/fail-jobs.job.js';
import { JobsController } from './results/jobs.controller.js';
import { RemoveFilesJob } from './results/remove-files.job.js';
import { ResultFilesService } from './results/result-files.service.js';
import { ResultMailsService } from './results/result-mails.service.js';
import { ResultsService } from './results/results.service.js';
import { ExpireUploadsJob } from './upload-reading/expire-uploads.job.js';
import { ReadUploadsJob, UploadReading } from './upload-reading/read-uploads.job.js';
import { IncomingUploadsService } from './uploads/incoming-uploads.service.js';
import { UploadFormsService } from './uploads/upload-forms.service.js';
import { UploadLocksRepository } from './uploads/upload-locks.repository.js';
import { FolderQueue, ReadQueue } from './uploads/upload-queues.js';
import { UploadsController } from './uploads/uploads.controller.js';
import { UploadsRepository } from './uploads/uploads.repository.js';
import { UploadRowsService, UploadsService } from './uploads/uploads.service.js';
import { FeedCursorsRepository } from './feed-cursors/feed-cursors.repository.js';
import { FeedCursorsService } from './feed-cursors/feed-cursors.service.js';
import { ServiceClients } from './service-clients.js';
import { DeliveryLogService } from './webhooks/delivery-log.service.js';
import { OnInvoiceIssuedConsumer } from './webhooks/on-invoice-issued.consumer.js';
import { WebhooksController } from './webhooks/webhooks.controller.js';
import { WebhooksRepository } from './webhooks/webhooks.repository.js';
import { WebhooksService } from './webhooks/webhooks.service.js';
import { WorkerConfig } from './worker.config.js';

export interface WorkerModuleOptions {
  config: WorkerConfig;
  clock: Clock;
  logger: Logger;
  transport: EventTransport;
  database: Database;
  maintenanceDatabase: Database;
  mail: MailTransport;
  files: FileStore;
}

export const CONTROLLERS = [
  OnAccountNewsConsumer,
  JobsController,
  OnCreditsLowConsumer,
  OnInvoiceIssuedConsumer,
  WebhooksController,
  UploadsController,
  ExportController,
  MonitorsController,
  OnAllowanceChangedConsumer,
  FilesController,
  FileRunsController,
];

/** The features, ordered so that each one uses only earlier ones. */
const FEATURES = [
  IdempotencyRepository,
  IdempotencyService,
  AccountStatesRepository,
  DailyCountsRepository,
  DailyCountsService,
  AccountStatesService,
  FeedCursorsRepository,
  FeedCursorsService,
  DeliveriesRepository,
  DeliveryQueue,
  DeliveriesService,
  DeliveryFeatures,
  DeliverWebhooksJob,
  ForgetDeliveriesJob,
  CreditsLowQueue,
  CreditsLowMailsService,
  MailCreditsLowJob,
  WebhooksRepository,
  WebhooksService,
  DeliveryLogService,
  NameLinesService,
  FolderQueue,
  ReadQueue,
  UploadsRepository,
  UploadRowsService,
  UploadLocksRepository,
  UploadsService,
  UploadFormsService,
  IncomingUploadsService,
  UploadReading,
  ReadUploadsJob,
  ExpireUploadsJob,
  JobQueues,
  JobsRepository,
  JobRowsService,
  JobCreditsService,
  JobsService,
  JobNames,
  NewJobsService,
  ChunksRepository,
  ChunkRowsService,
  ChunkQuestionsService,
  ChunkRecordsService,
  ChunkFeatures,
  ChunksJob,
  LeftOutLinesService,
  JobRows,
  StartJobsJob,
  ResultFilesService,
  ResultMailsService,
  ResultsService,
  EndFeatures,
  EndJobsJob,
  ExpireJobsJob,
  FailJobsJob,
  RemoveFilesJob,
  DigestsMaintenanceRepository,
  NewsRepository,
  NewsService,
  MailDigestsJob,
  ForgetNewsJob,
  ForgetSuppressedJob,
  WatchedNamesMaintenanceRepository,
  PaidChecksQueue,
  PaidChecksMaintenanceRepository,
  PaidChecksService,
  ChargeChecksJob,
  ChecksService,
  CheckDnsJob,
  CheckWhoisJob,
  RemindExpiriesJob,
  MatchesMaintenanceRepository,
  MatchersService,
  FollowChangesJob,
  MonitorsRepository,
  SlotsQueue,
  MonitorPlacesService,
  MonitorsService,
  NewMonitorsService,
  FitMonitorsJob,
  CollectedNamesRepository,
  NamesToCollectService,
  CollectNamesJob,
  ResolveHostsJob,
  BuildQueue,
  FilesRepository,
  FileRowsService,
  FilesService,
  DownloadsService,
  AnnounceQueue,
  AnnounceFilesJob,
  FileBuilderService,
  SuppressedRowsService,
  FileBuildsService,
  PlanFilesJob,
  BuildFeatures,
  BuildFilesJob,
  ExpireFilesJob,
  ErasedDataService,
  AccountsService,
];

@Module({})
export class WorkerModule {
  static register(options: WorkerModuleOptions): DynamicModule {
    const { config, clock, logger, transport, database, maintenanceDatabase } = options;
    const mails = new MailQueue();
    return {
      module: WorkerModule,
      imports: [
        ServiceModule.register({ name: 'worker', clock, logger, secret: config }),
        MessagingModule.register({ service: 'worker', clock, transport, database }),
      ],
      controllers: CONTROLLERS,
      providers: [
        Pages,
        { provide: WorkerConfig, useValue: config },
        { provide: Database, useValue: database },
        { provide: MaintenanceDatabase, useValue: maintenanceDatabase },
        { provide: RollPartitionsJob, useValue: new RollPartitionsJob(maintenanceDatabase) },
        { provide: FileStore, useValue: options.files },
        { provide: MailOutbox, useValue: new MailOutbox(mails) },
        {
          provide: MailSender,
          useValue: new MailSender(maintenanceDatabase, options.mail, logger, mails),
        },
        {
          provide: ServiceClients,
          useFactory: (tokens: ServiceTokens) => new ServiceClients(config, tokens),
          inject: [ServiceTokens],
        },
        { provide: WebhookSender, useValue: new WebhookSender(config) },
        ...FEATURES,
      ],
    };
  }
}
