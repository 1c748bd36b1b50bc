import { type DynamicModule, Module } from '@nestjs/common';
import { type Clock, type Logger, ServiceModule } from '#libs/platform';
import { DomainLookup, Registries } from '#libs/resolvers';
import { Fixtures } from './fixtures/fixtures.js';
import { AnswerCache } from './live/answer-cache.js';
import { LiveController } from './live/live.controller.js';
import { LiveService } from './live/live.service.js';
import { LookupConfig } from './lookup.config.js';
import { TldsController } from './tlds/tlds.controller.js';
import { TldsService } from './tlds/tlds.service.js';

export interface LookupModuleOptions {
  config: LookupConfig;
  clock: Clock;
  logger: Logger;
  registries: Registries;
  domains: DomainLookup;
}

export const CONTROLLERS = [LiveController, TldsController];

@Module({})
export class LookupModule {
  static register({
    config,
    clock,
    logger,
    registries,
    domains,
  }: LookupModuleOptions): DynamicModule {
    const { cacheEntries, cacheBytes } = config;
    const cache = new AnswerCache({ maxEntries: cacheEntries, maxBytes: cacheBytes });
    return {
      module: LookupModule,
      imports: [ServiceModule.register({ name: 'lookup', clock, logger, secret: config })],
      controllers: CONTROLLERS,
      providers: [
        LiveService,
        TldsService,
        Fixtures,
        { provide: LookupConfig, useValue: config },
        { provide: AnswerCache, useValue: cache },
        { provide: Registries, useValue: registries },
        { provide: DomainLookup, useValue: domains },
      ],
    };
  }
}
