import { type DynamicModule, Module } from '@nestjs/common';
import { OPERATIONS, type Operation, Pages } from '#libs/contracts';
import {
  AuditJob,
  AuditorDatabase,
  Database,
  MaintenanceDatabase,
  RollPartitionsJob,
} from '#libs/database';
import { EventTransport } from '#libs/messaging';
import { type Clock, type Logger, ServiceModule } from '#libs/platform';
import { GATEWAY_INVARIANTS } from './auditor/invariants.js';
import { OnAccountNewsWatcher } from './auth-cache/on-account-news.watcher.js';
import { GatewayLifecycle } from './gateway-lifecycle.js';
import { MADE } from './gateway-providers.js';
import { GatewayConfig } from './gateway.config.js';
import { ForgetAnswersJob } from './kept-answers/forget-answers.job.js';
import { KeptAnswersMaintenanceRepository } from './kept-answers/kept-answers-maintenance.repository.js';
import { KeptAnswersRepository } from './kept-answers/kept-answers.repository.js';
import { PublicListener } from './listener/public-listener.js';
import { EraseLogsJob } from './request-log/erase-logs.job.js';
import { LogMaintenanceRepository } from './request-log/log-maintenance.repository.js';
import { OnAccountErasedConsumer } from './request-log/on-account-erased.consumer.js';
import { RequestLogRepository } from './request-log/request-log.repository.js';
import { RollUpJob } from './request-log/roll-up.job.js';
import { ApiPaths } from './routes/api-paths.js';
import { QuestionsController } from './questions/questions.controller.js';
import { DashboardReadsController } from './usage/dashboard-reads.controller.js';
import { LogReads } from './usage/log-reads.js';
import { UsageRepository } from './usage/usage.repository.js';
import { RequestsRepository } from './usage/requests.repository.js';
import { RequestsService } from './usage/requests.service.js';
import { UsageService } from './usage/usage.service.js';

export interface GatewayModuleOptions {
  config: GatewayConfig;
  clock: Clock;
  logger: Logger;
  transport: EventTransport;
  database: Database;
  maintenance: Database;
  auditor: Database;
  operations?: readonly Operation[];
}

export const CONTROLLERS = [
  DashboardReadsController,
  QuestionsController,
  OnAccountNewsWatcher,
  OnAccountErasedConsumer,
];

/**
 * The gateway. Nest runs the internal listener; the public listener is a separate provider, whose requests bypass
 * Nest's guards and pipes.
 */
@Module({})
export class GatewayModule {
  static register(options: GatewayModuleOptions): DynamicModule {
    const { config, clock, logger, transport, database, maintenance, auditor } = options;
    return {
      module: GatewayModule,
      imports: [ServiceModule.register({ name: 'gateway', clock, logger, secret: config })],
      controllers: CONTROLLERS,
      providers: [
        { provide: GatewayConfig, useValue: config },
        { provide: EventTransport, useValue: transport },
        { provide: Database, useValue: database },
        { provide: MaintenanceDatabase, useValue: maintenance },
        { provide: AuditorDatabase, useValue: auditor },
        { provide: AuditJob, useValue: new AuditJob(auditor, GATEWAY_INVARIANTS, logger) },
        {
          provide: ApiPaths,
          useValue: new ApiPaths(options.operations ?? OPERATIONS, options.config),
        },
        RequestLogRepository,
        LogMaintenanceRepository,
        RollUpJob,
        EraseLogsJob,
        KeptAnswersRepository,
        KeptAnswersMaintenanceRepository,
        ForgetAnswersJob,
        { provide: RollPartitionsJob, useValue: new RollPartitionsJob(maintenance) },
        LogReads,
        UsageRepository,
        RequestsRepository,
        Pages,
        RequestsService,
        UsageService,
        ...MADE,
        PublicListener,
        GatewayLifecycle,
      ],
    };
  }
}
