import { type DynamicModule, Module } from '@nestjs/common';
import { Pages } from '#libs/contracts';
import { Database, MaintenanceDatabase, RollPartitionsJob } from '#libs/database';
import { FilesConfig, openBucket } from '#libs/files';
import { type EventTransport, MessagingModule } from '#libs/messaging';
import { type Clock, FairTurns, type Logger, ServiceModule } from '#libs/platform';
import { CorpusConfig } from './corpus.config.js';
import { CoverageRepository } from './coverage/coverage.repository.js';
import { CoverageService } from './coverage/coverage.service.js';
import { DatasetsController } from './datasets/datasets.controller.js';
import { DatasetsRepository } from './datasets/datasets.repository.js';
import { DatasetsService } from './datasets/datasets.service.js';
import { FreshestRepository } from './datasets/freshest.repository.js';
import { FreshestService } from './datasets/freshest.service.js';
import { DnsHistoryController } from './dns-history/dns-history.controller.js';
import { DnsHistoryRepository } from './dns-history/dns-history.repository.js';
import { DnsHistoryService } from './dns-history/dns-history.service.js';
import { HostsRepository } from './dns/hosts.repository.js';
import { SpansRepository } from './dns/spans.repository.js';
import { SpansService } from './dns/spans.service.js';
import { FeedController } from './feed/feed.controller.js';
import { FeedRepository } from './feed/feed.repository.js';
import { FeedService } from './feed/feed.service.js';
import { GeneratorController } from './generator/generator.controller.js';
import { GeneratorRepository } from './generator/generator.repository.js';
import { GeneratorService } from './generator/generator.service.js';
import { HistoryController } from './history/history.controller.js';
import { HistoryRepository } from './history/history.repository.js';
import { HistoryService } from './history/history.service.js';
import { HttpsDownloads } from './locations/https-downloads.js';
import { BlockListsService } from './imports/block-lists.service.js';
import { CertificateLogsService } from './imports/certificate-logs.service.js';
import { ImportFilesService } from './imports/import-files.service.js';
import { ImportRunsService } from './imports/import-runs.service.js';
import { ImportsController } from './imports/imports.controller.js';
import { ImportsJob } from './imports/imports.job.js';
import { ImportsRepository } from './imports/imports.repository.js';
import { ImportsService } from './imports/imports.service.js';
import { NameListsService } from './imports/name-lists.service.js';
import { ObservationFilesService } from './imports/observation-files.service.js';
import { ZonesService } from './imports/zones.service.js';
import { Locations } from './locations/locations.js';
import { ListedNamesRepository } from './listings/listed-names.repository.js';
import { ListingsService } from './listings/listings.service.js';
import { NameRowsRepository } from './names/name-rows.repository.js';
import { NameRowsService } from './names/name-rows.service.js';
import { NewestRepository } from './newest/newest.repository.js';
import { NewestService } from './newest/newest.service.js';
import { ReverseDnsController } from './reverse-dns/reverse-dns.controller.js';
import { ReverseDnsRepository } from './reverse-dns/reverse-dns.repository.js';
import { ReverseDnsService } from './reverse-dns/reverse-dns.service.js';
import { ReverseWhoisController } from './reverse-whois/reverse-whois.controller.js';
import { ReverseWhoisRepository } from './reverse-whois/reverse-whois.repository.js';
import { ReverseWhoisService } from './reverse-whois/reverse-whois.service.js';
import { SignalsController } from './signals/signals.controller.js';
import { SignalsRepository } from './signals/signals.repository.js';
import { SignalsService } from './signals/signals.service.js';
import { ClearedNamesService } from './removals/cleared-names.service.js';
import { HandOverJob } from './removals/hand-over.job.js';
import { RemovalsRepository } from './removals/removals.repository.js';
import { TrainModelJob } from './signals/train-model.job.js';
import { SubdomainsController } from './subdomains/subdomains.controller.js';
import { SubdomainsRepository } from './subdomains/subdomains.repository.js';
import { SubdomainsService } from './subdomains/subdomains.service.js';
import { TyposController } from './typos/typos.controller.js';
import { TyposRepository } from './typos/typos.repository.js';
import { TyposService } from './typos/typos.service.js';
import { ChangesRepository } from './observations/changes.repository.js';
import { FullListsRepository } from './observations/full-lists.repository.js';
import { FullListsService } from './observations/full-lists.service.js';
import { NamesRepository } from './observations/names.repository.js';
import { ObservationsController } from './observations/observations.controller.js';
import { ObservationsService } from './observations/observations.service.js';
import { StagedNamesRepository } from './observations/staged-names.repository.js';
import { RegistrationsService } from './registrations/registrations.service.js';
import { RevisionsRepository } from './registrations/revisions.repository.js';
import { TokensRepository } from './registrations/tokens.repository.js';
import { SourcesRepository } from './sources/sources.repository.js';
import { SourcesService } from './sources/sources.service.js';
import { FeedDatabase, SearchDatabase } from './searches/search-database.js';
import { EraseSuppressedJob } from './suppression/erase-suppressed.job.js';
import { SuppressionController } from './suppression/suppression.controller.js';
import { SuppressionList } from './suppression/suppression-list.js';
import { SuppressionsRepository } from './suppression/suppressions.repository.js';
import { SuppressionsService } from './suppression/suppressions.service.js';

export interface CorpusModuleOptions {
  config: CorpusConfig;
  clock: Clock;
  logger: Logger;
  transport: EventTransport;
  database: Database;
  maintenanceDatabase: Database;
  searchDatabase: Database;
  downloads: HttpsDownloads;
}

export const CONTROLLERS = [
  ObservationsController,
  GeneratorController,
  ImportsController,
  HistoryController,
  DnsHistoryController,
  ReverseDnsController,
  ReverseWhoisController,
  SubdomainsController,
  FeedController,
  DatasetsController,
  TyposController,
  SignalsController,
  SuppressionController,
];

const PROVIDERS = [
  SuppressionsRepository,
  EraseSuppressedJob,
  SourcesRepository,
  SourcesService,
  RevisionsRepository,
  TokensRepository,
  RegistrationsService,
  SpansRepository,
  HostsRepository,
  SpansService,
  NamesRepository,
  ChangesRepository,
  ObservationsService,
  StagedNamesRepository,
  FullListsRepository,
  FullListsService,
  ImportsRepository,
  ImportsService,
  ImportFilesService,
  ListedNamesRepository,
  ListingsService,
  NameListsService,
  ZonesService,
  BlockListsService,
  ObservationFilesService,
  ImportRunsService,
  CertificateLogsService,
  ImportsJob,
  GeneratorRepository,
  NameRowsRepository,
  NameRowsService,
  GeneratorService,
  CoverageRepository,
  CoverageService,
  NewestRepository,
  NewestService,
  HistoryRepository,
  HistoryService,
  DnsHistoryRepository,
  DnsHistoryService,
  ReverseDnsRepository,
  ReverseDnsService,
  ReverseWhoisRepository,
  ReverseWhoisService,
  SubdomainsRepository,
  SubdomainsService,
  FeedRepository,
  FeedService,
  DatasetsRepository,
  DatasetsService,
  FreshestRepository,
  FreshestService,
  TyposRepository,
  TyposService,
  SignalsRepository,
  SignalsService,
  TrainModelJob,
  RemovalsRepository,
  ClearedNamesService,
  HandOverJob,
];

/** Returns a provider of a database that leaves suppressed data out. */
const reader = (
  provide: typeof SearchDatabase,
  database: Database,
  silenceMs?: number,
  turns?: FairTurns,
) => ({
  provide,
  useFactory: (suppressions: SuppressionsService) =>
    new provide(database, suppressions, silenceMs, turns),
  inject: [SuppressionsService],
});

const searchTurns = ({ searches, searchTimeoutMs }: CorpusConfig) =>
  new FairTurns({
    atOnce: searches,
    // A search that has begun is not interrupted, so an account is limited to these places even while no other
    // searches.
    ofAccount: Math.ceil(searches / 4),
    // An account may have 50 requests of the class `heavy` running.
    ofAccountMax: 100,
    heavy: { cost: searchTimeoutMs / 8, atOnce: Math.ceil((searches * 3) / 4) },
    waitingMax: 400,
    waitMaxMs: 2 * searchTimeoutMs,
  });

const suppressionList = ({ suppressionsPath: path }: CorpusConfig) =>
  path ? new SuppressionList(path) : undefined;

function bucketsOf({ config, clock }: CorpusModuleOptions) {
  return async (location: string) =>
    openBucket(
      Object.assign(new FilesConfig(), {
        filesLocation: location,
        filesS3Endpoint: config.s3Endpoint,
        filesS3Region: config.s3Region,
        filesS3PathStyle: config.s3PathStyle,
        filesS3AccessKeyId: config.s3AccessKeyId,
        filesS3SecretAccessKey: config.s3SecretAccessKey,
      }),
      clock,
    );
}

@Module({})
export class CorpusModule {
  static register(options: CorpusModuleOptions): DynamicModule {
    const { config, clock, logger, transport, database } = options;
    return {
      module: CorpusModule,
      imports: [
        ServiceModule.register({ name: 'corpus', clock, logger, secret: config }),
        MessagingModule.register({ service: 'corpus', clock, transport, database }),
      ],
      controllers: CONTROLLERS,
      providers: [
        Pages,
        { provide: CorpusConfig, useValue: config },
        { provide: Database, useValue: database },
        { provide: MaintenanceDatabase, useValue: options.maintenanceDatabase },
        { provide: HttpsDownloads, useValue: options.downloads },
        {
          provide: Locations,
          useValue: new Locations(config, options.downloads, bucketsOf(options)),
        },
        {
          provide: SuppressionsService,
          useFactory: (repository: SuppressionsRepository, rows: NameRowsService) =>
            new SuppressionsService(database, repository, rows, clock, suppressionList(config)),
          inject: [SuppressionsRepository, NameRowsService],
        },
        reader(
          SearchDatabase,
          options.searchDatabase,
          3 * config.searchTimeoutMs,
          searchTurns(config),
        ),
        reader(FeedDatabase, database),
        {
          provide: RollPartitionsJob,
          useValue: new RollPartitionsJob(options.maintenanceDatabase),
        },
        ...PROVIDERS,
      ],
    };
  }
}
