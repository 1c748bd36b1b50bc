import { type DynamicModule, Module } from '@nestjs/common';
import { Database, MaintenanceDatabase } from '#libs/database';
import {
  type Clock,
  type Logger,
  type Metrics,
  ServiceModule,
  type ServiceSecretSource,
} from '#libs/platform';
import { OnAccountNewsWatcher } from './facts/on-account-news.watcher.js';
import { Facts } from './facts/facts.js';
import { OnAccountErasedConsumer } from './request-log/on-account-erased.consumer.js';
import {
  RequestLogMaintenanceRepository,
  RequestLogRepository,
} from './request-log/request-log.repository.js';
import { RollUpJob } from './request-log/roll-up.job.js';

export interface GatewayModuleOptions {
  secret: ServiceSecretSource;
  clock: Clock;
  logger: Logger;
  database: Database;
  maintenance: MaintenanceDatabase;
  facts: Facts;
  metrics: Metrics;
}

export const CONTROLLERS = [OnAccountNewsWatcher, OnAccountErasedConsumer];

/** What is not on the request path: consumers, jobs, health. The path itself is built in `start.ts`. */
@Module({})
export class GatewayModule {
  static register(options: GatewayModuleOptions): DynamicModule {
    const { secret, clock, logger, database, maintenance, facts, metrics } = options;
    return {
      module: GatewayModule,
      imports: [ServiceModule.register({ name: 'gateway', clock, logger, secret, metrics })],
      controllers: CONTROLLERS,
      providers: [
        RequestLogRepository,
        RequestLogMaintenanceRepository,
        RollUpJob,
        { provide: Database, useValue: database },
        { provide: MaintenanceDatabase, useValue: maintenance },
        { provide: Facts, useValue: facts },
      ],
    };
  }
}
