import { type DynamicModule, Module } from '@nestjs/common';
import { type Clock, type Logger, ServiceModule } from '#libs/platform';
import type { DashboardConfig } from './dashboard.config.js';

export interface DashboardModuleOptions {
  config: DashboardConfig;
  clock: Clock;
  logger: Logger;
}

/**
 * The internal listener, which has only probes and metrics. Pages and calls belong to another application,
 * `PagesModule`.
 */
@Module({})
export class DashboardModule {
  static register({ config, clock, logger }: DashboardModuleOptions): DynamicModule {
    return {
      module: DashboardModule,
      imports: [ServiceModule.register({ name: 'dashboard', clock, logger, secret: config })],
    };
  }
}
