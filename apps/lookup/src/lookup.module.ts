import { type DynamicModule, Module } from '@nestjs/common';
import { type Clock, type Logger, ServiceModule } from '#libs/platform';
import {
  DnsClient,
  DomainLookup,
  NumberLookups,
  PublicNames,
  Registries,
  WayOut,
} from '#libs/resolvers';
import { AnswerCounts } from './answers/answer-counts.js';
import { AvailabilityController } from './availability/availability.controller.js';
import { AvailabilityService } from './availability/availability.service.js';
import { DnsController } from './dns/dns.controller.js';
import { DnsService } from './dns/dns.service.js';
import { Fixtures } from './fixtures/fixtures.js';
import { BulkService } from './live/bulk.service.js';
import { LiveController } from './live/live.controller.js';
import { LiveService } from './live/live.service.js';
import { LookupConfig, listIn } from './lookup.config.js';
import { DelegatedNumbers } from './numbers/delegated-numbers.js';
import { NumbersController } from './numbers/numbers.controller.js';
import { NumbersService } from './numbers/numbers.service.js';
import { RoutingFeed } from './numbers/routing-feed.js';
import { ObservationsService } from './observations/observations.service.js';
import { QuestionsController } from './questions/questions.controller.js';
import { QuestionsService } from './questions/questions.service.js';
import { ReputationController } from './reputation/reputation.controller.js';
import { ReputationService } from './reputation/reputation.service.js';
import { TldsController } from './tlds/tlds.controller.js';
import { TldsService } from './tlds/tlds.service.js';

export interface LookupModuleOptions {
  config: LookupConfig;
  clock: Clock;
  logger: Logger;
  registries: Registries;
  domains: DomainLookup;
  numbers: NumberLookups;
  dns: DnsClient;
  wayOut: WayOut;
  feed: RoutingFeed;
  delegated: DelegatedNumbers;
}

export const CONTROLLERS = [
  AvailabilityController,
  DnsController,
  LiveController,
  NumbersController,
  QuestionsController,
  ReputationController,
  TldsController,
];

@Module({})
export class LookupModule {
  static register({
    config,
    clock,
    logger,
    registries,
    domains,
    numbers,
    dns,
    wayOut,
    feed,
    delegated,
  }: LookupModuleOptions): DynamicModule {
    return {
      module: LookupModule,
      imports: [ServiceModule.register({ name: 'lookup', clock, logger, secret: config })],
      controllers: CONTROLLERS,
      providers: [
        AnswerCounts,
        ObservationsService,
        DnsService,
        AvailabilityService,
        BulkService,
        LiveService,
        NumbersService,
        QuestionsService,
        ReputationService,
        TldsService,
        Fixtures,
        { provide: LookupConfig, useValue: config },
        { provide: Registries, useValue: registries },
        { provide: DomainLookup, useValue: domains },
        { provide: NumberLookups, useValue: numbers },
        { provide: DnsClient, useValue: dns },
        { provide: WayOut, useValue: wayOut },
        { provide: PublicNames, useValue: publicNamesOf(config, registries) },
        { provide: RoutingFeed, useValue: feed },
        { provide: DelegatedNumbers, useValue: delegated },
      ],
    };
  }
}

function publicNamesOf(
  { dnsAllowed, dnsRefused }: LookupConfig,
  registries: Registries,
): PublicNames {
  const { tlds } = registries.tables;
  return new PublicNames({ tlds, allowed: listIn(dnsAllowed), refused: listIn(dnsRefused) });
}
