import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Clock } from '../clock.js';
import { Metrics } from '../telemetry/metrics.js';
import { MetricsController } from './metrics-route.js';
import { Health, HealthController, addReadiness } from './health.js';
import type { InternalCallsConfig } from '../internal-calls/internal-calls.config.js';
import { ServiceGuard, ServiceIdentity } from '../internal-calls/internal-route.js';
import { InternalTls } from '../internal-calls/internal-tls.js';
import { Logger } from '../logger.js';
import { ServiceSecret } from '../internal-calls/service-secret.js';
import type { ServiceName } from '../internal-calls/pair-secrets.js';
import { ServiceTokens } from '../internal-calls/service-token.js';

export interface ServiceModuleOptions {
  name: ServiceName;
  clock: Clock;
  logger: Logger;
  /** The secret that signs the tokens between services, and the TLS settings for their connections. */
  secret: Pick<InternalCallsConfig, 'serviceSecret' | 'serviceSecretFile' | 'internalTlsFolder'>;
  /** Given if metrics already have sources before the service starts. */
  metrics?: Metrics;
}

/** The parts that every service has: clock, logger, health, metrics, and the guard of its internal routes. */
@Module({})
export class ServiceModule {
  static register(options: ServiceModuleOptions): DynamicModule {
    const { clock, logger, metrics = new Metrics() } = options;
    const { internalTlsFolder: folder } = options.secret;
    const secret = new ServiceSecret(options.secret, logger);
    const tls = folder ? new InternalTls(folder, logger) : undefined;
    tls?.addMetrics(metrics, options.name);
    const health = new Health();
    addReadiness(metrics, health, options.name);
    return {
      module: ServiceModule,
      controllers: [HealthController, MetricsController],
      providers: [
        { provide: Health, useValue: health },
        { provide: Clock, useValue: clock },
        { provide: Logger, useValue: logger },
        { provide: Metrics, useValue: metrics },
        { provide: ServiceIdentity, useValue: { name: options.name } },
        { provide: ServiceTokens, useValue: new ServiceTokens(secret, clock, tls) },
        { provide: APP_GUARD, useClass: ServiceGuard },
      ],
      exports: [Health, Clock, Logger, Metrics, ServiceIdentity, ServiceTokens],
    };
  }
}
