import { Controller, type DynamicModule, Injectable, Module } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { MinLength } from 'class-validator';
import { AccountRegistered, type EventEnvelope, Pages } from '#libs/contracts';
import {
  DatabaseConfig,
  DatabaseUrl,
  MaintenanceDatabase,
  Transaction,
  jobRunColumns,
  openServiceDatabases,
  unfinishedRunsColumn,
} from '#libs/database';
import { Consumes, messagingTables } from '#libs/messaging';
import {
  type Job,
  PortSetting,
  SECOND_MS,
  ServiceModule,
  Setting,
  startService,
  urlSettingOf,
} from '#libs/platform';
import {
  type JobDeclaration,
  type Service,
  type ServiceStart,
  type StartedService,
  startBackgroundWork,
  started,
} from '#libs/services';
import { ARCHIVE } from './archive-operations.js';
import { ArchiveController } from './archive-answers.js';

class ArchiveConfig extends DatabaseConfig {
  @PortSetting({ env: 'ARCHIVE_PORT', about: 'Port of the internal listener.' })
  port: number = 7_999;

  @DatabaseUrl('ARCHIVE_DATABASE_URL', 'archive')
  databaseUrl: string;

  @DatabaseUrl('ARCHIVE_MAINTENANCE_DATABASE_URL', 'archive_maintenance')
  maintenanceDatabaseUrl: string;

  @Setting({ env: 'ARCHIVE_SALT', about: 'A secret.', secret: true, generated: true })
  @MinLength(32)
  salt: string;
}

@Controller()
class OnAccountRegisteredConsumer {
  @Consumes(AccountRegistered)
  async handle(
    @Payload() { key }: EventEnvelope<AccountRegistered>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    await transaction.query('insert into heard (account_id) values ($1)', [key]);
  }
}

@Injectable()
class CountJob implements Job {
  readonly name = 'count';

  constructor(private readonly database: MaintenanceDatabase) {}

  async runOnce(): Promise<void> {
    await this.database.query('insert into counted (process) values ($1)', [process.pid]);
  }
}

const CONTROLLERS = [OnAccountRegisteredConsumer, ArchiveController];
const JOBS: readonly JobDeclaration[] = [
  { job: CountJob, everyMs: SECOND_MS / 10, runs: 'installation' },
];

@Module({})
class ArchiveModule {}

export const archive: Service<ArchiveConfig> = {
  name: ARCHIVE,
  config: ArchiveConfig,
  listeners: [{ port: 'ARCHIVE_PORT' }],
  urlSetting: urlSettingOf(ARCHIVE),
  migrations: [
    { name: '0001-messaging', sql: messagingTables },
    { name: '0002-job-runs', sql: `${jobRunColumns}; ${unfinishedRunsColumn}` },
    {
      name: '0003-heard',
      sql: `create table heard (account_id uuid primary key);
            create table counted (process int not null)`,
    },
  ],
  extensions: ['fuzzystrmatch'],
  usesFiles: true,
  load: async () => ({ controllers: CONTROLLERS, jobs: JOBS, start: startArchive }),
};

async function startArchive(given: ServiceStart<ArchiveConfig>): Promise<StartedService> {
  const { config, clock, logger, transport, files } = given;
  await files?.write('started', [Buffer.from('yes')], { maxBytes: 3 });
  const databases = await openServiceDatabases(ARCHIVE, config, []);
  const { database, maintenanceDatabase: useValue } = databases;
  const module: DynamicModule = {
    module: ArchiveModule,
    imports: [ServiceModule.register({ name: ARCHIVE, clock, logger, secret: config })],
    controllers: CONTROLLERS,
    providers: [{ provide: MaintenanceDatabase, useValue }, CountJob, Pages],
  };
  const strategy = transport.strategyFor(ARCHIVE, database);
  const { port } = config;
  const service = await startService({ module, logger, host: '127.0.0.1', port, strategy });
  const work = { name: ARCHIVE, logger, transport, files, jobs: JOBS, ...databases };
  return started(await startBackgroundWork(service, work));
}
