import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Clock } from '../clock.js';
import { Metrics } from '../telemetry/metrics.js';
import { MetricsController } from '../telemetry/metrics-route.js';
import { Health, HealthController } from './health.js';
import { ServiceGuard, ServiceIdentity } from './internal-route.js';
import { Logger } from '../logger.js';
import { type ServiceName, ServiceTokens } from './service-token.js';

export interface ServiceModuleOptions {
  name: ServiceName;
  clock: Clock;
  logger: Logger;
  /** Secret of the tokens between services. */
  serviceSecret: string;
  /** Given where it has sources before the service starts. */
  metrics?: Metrics;
}

/** What every service has: clock, logger, health, metrics, and the guard of its internal routes. */
@Module({})
export class ServiceModule {
  static register(options: ServiceModuleOptions): DynamicModule {
    return {
      module: ServiceModule,
      controllers: [HealthController, MetricsController],
      providers: [
        Health,
        { provide: Clock, useValue: options.clock },
        { provide: Logger, useValue: options.logger },
        { provide: Metrics, useValue: options.metrics ?? new Metrics() },
        { provide: ServiceIdentity, useValue: { name: options.name } },
        {
          provide: ServiceTokens,
          useValue: new ServiceTokens(options.serviceSecret, options.clock),
        },
        { provide: APP_GUARD, useClass: ServiceGuard },
      ],
      exports: [Health, Clock, Logger, Metrics, ServiceIdentity, ServiceTokens],
    };
  }
}
