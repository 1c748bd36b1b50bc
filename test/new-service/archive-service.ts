import { Controller, type DynamicModule, Injectable, Module } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { IsInt, IsString, Max, Min, MinLength } from 'class-validator';
import { AccountRegistered, type EventEnvelope, Pages } from '#libs/contracts';
import { Database, jobRunColumns, MaintenanceDatabase, Transaction } from '#libs/database';
import { Consumes, messagingTables } from '#libs/messaging';
import {
  type Job,
  SECOND_MS,
  ServiceModule,
  InternalCallsConfig,
  Setting,
  startService,
  urlSettingOf,
} from '#libs/platform';
import {
  type JobDeclaration,
  type Service,
  type ServiceStart,
  type StartedService,
  startJobs,
  started,
} from '#libs/services';
import { ARCHIVE } from './archive-operations.js';
import { ArchiveController } from './archive-answers.js';

const NAME = ARCHIVE;

class ArchiveConfig extends InternalCallsConfig {
  @Setting({ env: 'ARCHIVE_PORT', about: 'Port of the internal listener; 0 takes a free one.' })
  @IsInt()
  @Min(0)
  @Max(65_535)
  port: number = 7_999;

  @Setting({ env: 'ARCHIVE_DATABASE_URL', about: 'PostgreSQL as "archive".', secret: true })
  @IsString()
  databaseUrl: string;

  @Setting({
    env: 'ARCHIVE_MAINTENANCE_DATABASE_URL',
    about: 'PostgreSQL as "archive_maintenance".',
    secret: true,
  })
  @IsString()
  maintenanceDatabaseUrl: string;

  @Setting({
    env: 'ARCHIVE_SALT',
    about: 'A secret of this service.',
    secret: true,
    generated: true,
  })
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
class ArchiveModule {
  static register(imports: DynamicModule[], database: Database): DynamicModule {
    const providers = [{ provide: MaintenanceDatabase, useValue: database }, CountJob, Pages];
    return { module: ArchiveModule, imports, controllers: CONTROLLERS, providers };
  }
}

/** An example service, with everything that an app must provide. */
export const archive: Service<ArchiveConfig> = {
  name: NAME,
  config: ArchiveConfig,
  listeners: [{ port: 'ARCHIVE_PORT' }],
  urlSetting: urlSettingOf(NAME),
  migrations: [
    { name: '0001-messaging', sql: messagingTables },
    { name: '0002-job-runs', sql: jobRunColumns },
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

async function startArchive({
  config,
  clock,
  logger,
  transport,
  files,
}: ServiceStart<ArchiveConfig>): Promise<StartedService> {
  await files?.write('started', [Buffer.from('yes')], { maxBytes: 3 });
  const open = (url: string) => Database.open({ url, applicationName: NAME });
  const database = await open(config.databaseUrl);
  const maintenance = await open(config.maintenanceDatabaseUrl);
  const module = ServiceModule.register({ name: NAME, clock, logger, secret: config });
  const service = await startService({
    module: ArchiveModule.register([module], maintenance),
    logger,
    host: '127.0.0.1',
    port: config.port,
    strategy: transport.strategyFor(NAME, database),
  });
  const jobs = startJobs(service, logger, JOBS);
  const stop = async () => {
    await jobs.stop();
    await service.stop();
    await Promise.all([database.close(), maintenance.close()]);
  };
  return started({ ...service, stop });
}
