import { type DynamicModule, Module } from '@nestjs/common';
import { Database, MaintenanceDatabase } from '#libs/database';
import { type EventTransport, MessagingModule } from '#libs/messaging';
import { type Clock, type Logger, ServiceModule } from '#libs/platform';
import { AccountConfig } from './account.config.js';
import { AccountsRepository } from './accounts/accounts.repository.js';
import { AccountsService } from './accounts/accounts.service.js';
import { AuditMaintenanceRepository } from './audit/audit.repository.js';
import { AuditService } from './audit/audit.service.js';
import { IdempotencyRepository } from './idempotency/idempotency.repository.js';
import { IdempotencyService } from './idempotency/idempotency.service.js';
import { ExpireKeysJob } from './key-facts/expire-keys.job.js';
import { KeyFactsController } from './key-facts/key-facts.controller.js';
import { KeyFactsMaintenanceRepository } from './key-facts/key-facts.repository.js';
import { KeyFactsService } from './key-facts/key-facts.service.js';
import { KeysController } from './keys/keys.controller.js';
import { KeysRepository } from './keys/keys.repository.js';
import { KeysService } from './keys/keys.service.js';
import { DataKeysRepository } from './personal-data/data-keys.repository.js';
import { PersonalDataService } from './personal-data/personal-data.service.js';
import { CurrentSessionsService } from './sessions/current-sessions.service.js';
import { SessionTokensMaintenanceRepository } from './sessions/session-tokens.repository.js';

export interface AccountModuleOptions {
  config: AccountConfig;
  clock: Clock;
  logger: Logger;
  transport: EventTransport;
  database: Database;
  maintenanceDatabase: Database;
}

/** Features in the order in which they may use one another. */
@Module({})
export class AccountModule {
  static register(options: AccountModuleOptions): DynamicModule {
    const { config, clock, logger, transport, database, maintenanceDatabase } = options;
    const { serviceSecret } = config;
    return {
      module: AccountModule,
      imports: [
        ServiceModule.register({ name: 'account', clock, logger, serviceSecret }),
        MessagingModule.register({ service: 'account', clock, transport, database }),
      ],
      controllers: [KeysController, KeyFactsController],
      providers: [
        { provide: AccountConfig, useValue: config },
        { provide: Database, useValue: database },
        { provide: MaintenanceDatabase, useValue: maintenanceDatabase },
        DataKeysRepository,
        PersonalDataService,
        AuditMaintenanceRepository,
        AuditService,
        IdempotencyRepository,
        IdempotencyService,
        AccountsRepository,
        AccountsService,
        SessionTokensMaintenanceRepository,
        CurrentSessionsService,
        KeysRepository,
        KeysService,
        KeyFactsMaintenanceRepository,
        KeyFactsService,
        ExpireKeysJob,
      ],
    };
  }
}
