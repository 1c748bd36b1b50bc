import { type DynamicModule, Module } from '@nestjs/common';
import { AuditJob, Database, MaintenanceDatabase, RollPartitionsJob } from '#libs/database';
import { Pages } from '#libs/contracts';
import { type EventTransport, MessagingModule } from '#libs/messaging';
import { type Clock, type Logger, ServiceModule } from '#libs/platform';
import { AllowancesController } from './allowances/allowances.controller.js';
import { AllowancesRepository } from './allowances/allowances.repository.js';
import { AllowancesService } from './allowances/allowances.service.js';
import { ENTITLEMENT_INVARIANTS } from './auditor/invariants.js';
import { BlocksController } from './blocks/blocks.controller.js';
import { BlocksRepository } from './blocks/blocks.repository.js';
import { BlocksService } from './blocks/blocks.service.js';
import { OnAccountNewsConsumer } from './blocks/on-account-news.consumer.js';
import { CheckpointJob } from './checkpoints/checkpoint.job.js';
import { CheckpointsRepository } from './checkpoints/checkpoints.repository.js';
import { AdvanceAccountsJob } from './due-accounts/advance-accounts.job.js';
import { DueAccountsController } from './due-accounts/due-accounts.controller.js';
import { DueAccountsRepository } from './due-accounts/due-accounts.repository.js';
import { DueAccountsService } from './due-accounts/due-accounts.service.js';
import type { EntitlementConfig } from './entitlement.config.js';
import { ExportController } from './account-export/account-export.controller.js';
import { HoldingsController } from './holdings/holdings.controller.js';
import { HoldingsRepository } from './holdings/holdings.repository.js';
import { HoldingsService } from './holdings/holdings.service.js';
import { GrantsController } from './grants/grants.controller.js';
import { GrantsRepository } from './grants/grants.repository.js';
import { GrantsService } from './grants/grants.service.js';
import { OnGrantNewsConsumer } from './grants/on-grant-news.consumer.js';
import { ForgetHoldsJob } from './holds/forget-holds.job.js';
import { HoldsController } from './holds/holds.controller.js';
import { HoldsRepository } from './holds/holds.repository.js';
import { HoldsService } from './holds/holds.service.js';
import { ReapJob } from './reaper/reap.job.js';
import { LeaseBookingsService } from './leases/lease-bookings.service.js';
import { LeaseReaperService } from './leases/lease-reaper.service.js';
import { LeasesController } from './leases/leases.controller.js';
import { LeasesRepository } from './leases/leases.repository.js';
import { hasUnclosedLeases } from './leases/unclosed-leases.js';
import { LeasesService } from './leases/leases.service.js';
import { LedgerRepository } from './ledger/ledger.repository.js';
import { LedgerService } from './ledger/ledger.service.js';
import { PaymentLine } from './payments/payment-line.entity.js';
import { PaymentsRepository } from './payments/payments.repository.js';
import { PaymentsService } from './payments/payments.service.js';
import { Reversal } from './payments/reversal.entity.js';
import { ReversedLine } from './payments/reversed-line.entity.js';
import { ReservationsRepository } from './reservations/reservations.repository.js';
import { ReservationsService } from './reservations/reservations.service.js';
import { OnPaymentReversedConsumer } from './reversals/on-payment-reversed.consumer.js';
import { ReversalsService } from './reversals/reversals.service.js';
import { StatementController } from './statement/statement.controller.js';
import { StatementRepository } from './statement/statement.repository.js';
import { StatementService } from './statement/statement.service.js';
import { Subscription } from './subscriptions/subscription.entity.js';
import { SubscriptionsRepository } from './subscriptions/subscriptions.repository.js';
import { SubscriptionsService } from './subscriptions/subscriptions.service.js';
import { UsedCreditsController } from './used-credits/used-credits.controller.js';
import { UsedCreditsRepository } from './used-credits/used-credits.repository.js';
import { UsedCreditsService } from './used-credits/used-credits.service.js';
import { TimelineController } from './timeline/timeline.controller.js';
import { TimelineRepository } from './timeline/timeline.repository.js';

export interface EntitlementModuleOptions {
  config: EntitlementConfig;
  clock: Clock;
  logger: Logger;
  transport: EventTransport;
  database: Database;
  maintenanceDatabase: Database;
  auditorDatabase: Database;
}

export const ENTITIES = [PaymentLine, Reversal, ReversedLine, Subscription];

export const CONTROLLERS = [
  StatementController,
  TimelineController,
  ExportController,
  GrantsController,
  DueAccountsController,
  HoldingsController,
  OnGrantNewsConsumer,
  OnPaymentReversedConsumer,
  BlocksController,
  OnAccountNewsConsumer,
  LeasesController,
  HoldsController,
  AllowancesController,
  UsedCreditsController,
];

/** The repositories, services and jobs of all features. */
const PROVIDERS = [
  LedgerRepository,
  LedgerService,
  CheckpointsRepository,
  CheckpointJob,
  ForgetHoldsJob,
  PaymentsRepository,
  PaymentsService,
  SubscriptionsRepository,
  SubscriptionsService,
  GrantsRepository,
  GrantsService,
  DueAccountsRepository,
  DueAccountsService,
  AdvanceAccountsJob,
  ReversalsService,
  HoldingsRepository,
  HoldingsService,
  BlocksRepository,
  BlocksService,
  UsedCreditsRepository,
  UsedCreditsService,
  StatementRepository,
  StatementService,
  TimelineRepository,
  ReservationsRepository,
  ReservationsService,
  LeasesRepository,
  LeasesService,
  LeaseBookingsService,
  LeaseReaperService,
  HoldsRepository,
  HoldsService,
  ReapJob,
  AllowancesRepository,
  AllowancesService,
];

@Module({})
export class EntitlementModule {
  static register(options: EntitlementModuleOptions): DynamicModule {
    const { config, clock, logger, transport, database } = options;
    return {
      module: EntitlementModule,
      imports: [
        ServiceModule.register({ name: 'entitlement', clock, logger, secret: config }),
        MessagingModule.register({ service: 'entitlement', clock, transport, database }),
      ],
      controllers: CONTROLLERS,
      providers: [
        Pages,
        { provide: Database, useValue: database },
        { provide: MaintenanceDatabase, useValue: options.maintenanceDatabase },
        {
          provide: AuditJob,
          useValue: new AuditJob(options.auditorDatabase, ENTITLEMENT_INVARIANTS, logger),
        },
        {
          provide: RollPartitionsJob,
          useValue: new RollPartitionsJob(
            options.maintenanceDatabase,
            undefined,
            async () => !(await hasUnclosedLeases(options.maintenanceDatabase)),
          ),
        },
        ...PROVIDERS,
      ],
    };
  }
}
