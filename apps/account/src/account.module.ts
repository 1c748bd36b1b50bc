import { type DynamicModule, Module } from '@nestjs/common';
import {
  Database,
  IdempotencyRepository,
  IdempotencyService,
  MaintenanceDatabase,
  RollPartitionsJob,
} from '#libs/database';
import { MailOutbox, MailQueue, MailSender, type MailTransport } from '#libs/mail';
import { Pages } from '#libs/contracts';
import { type EventTransport, MessagingModule } from '#libs/messaging';
import { type Clock, type Logger, ServiceModule } from '#libs/platform';
import { AccountConfig } from './account.config.js';
import { AccountsRepository } from './accounts/accounts.repository.js';
import { AccountsService } from './accounts/accounts.service.js';
import { AddressChangeLinksService } from './address-change-links/address-change-links.service.js';
import { AddressChangesController } from './address-changes/address-changes.controller.js';
import {
  AddressChangeLinksMaintenanceRepository,
  AddressChangesRepository,
} from './address-change-links/address-changes.repository.js';
import { AddressChangesService } from './address-changes/address-changes.service.js';
import { ThrottlingMaintenanceRepository } from './throttling/throttling.repository.js';
import { LinkAttemptsService } from './throttling/link-attempts.service.js';
import { ThrottlingService } from './throttling/throttling.service.js';
import { AnchorAuditJob } from './audit-check/anchor-audit.job.js';
import { AuditCheckMaintenanceRepository } from './audit-check/audit-check.repository.js';
import { AuditCheckService } from './audit-check/audit-check.service.js';
import { AuditSeal } from './audit-check/audit-seal.js';
import { AuditAnchorsMaintenanceRepository } from './audit-check/audit-anchors.repository.js';
import { AuditAnchorsService } from './audit-check/audit-anchors.service.js';
import { AuditCheckController } from './audit-check/audit-check.controller.js';
import { AuditMaintenanceRepository } from './audit/audit.repository.js';
import { AuditService } from './audit/audit.service.js';
import { BillingDetailsController } from './billing-details/billing-details.controller.js';
import { BillingDetailsRepository } from './billing-details/billing-details.repository.js';
import { BillingDetailsService } from './billing-details/billing-details.service.js';
import { DeletionController } from './deletion/deletion.controller.js';
import { DeletionService } from './deletion/deletion.service.js';
import { EraseJob } from './deletion/erase.job.js';
import { ErasedAccountsService } from './deletion/erased-accounts.service.js';
import { ErasedDataService } from './deletion/erased-data.service.js';
import { ErasureMaintenanceRepository } from './deletion/erasure.repository.js';
import { ErasureService } from './deletion/erasure.service.js';
import { WaysInService } from './deletion/ways-in.service.js';
import { ExportController } from './account-export/account-export.controller.js';
import { ExportService } from './account-export/account-export.service.js';
import { ExpireKeysJob } from './key-records/expire-keys.job.js';
import { GithubSignaturesService } from './leaked-keys/github-signatures.service.js';
import { LeakedKeysController } from './leaked-keys/leaked-keys.controller.js';
import { LeakedKeysService } from './leaked-keys/leaked-keys.service.js';
import { KeyManagementController } from './key-management/key-management.controller.js';
import { KeyManagementService } from './key-management/key-management.service.js';
import { KeyRecordController } from './key-records/key-records.controller.js';
import { KeyRecordMaintenanceRepository } from './key-records/key-records.repository.js';
import { KeyRecordService } from './key-records/key-records.service.js';
import { KeyChangesService } from './keys/key-changes.service.js';
import { KeysController } from './keys/keys.controller.js';
import { KeysRepository } from './keys/keys.repository.js';
import { KeysService } from './keys/keys.service.js';
import { MailedLinksController } from './mailed-links/mailed-links.controller.js';
import { MailedLinksService } from './mailed-links/mailed-links.service.js';
import { ForgottenPasswordsService } from './password-resets/forgotten-passwords.service.js';
import { MailedResetsService } from './password-resets/mailed-resets.service.js';
import { PasswordChangesService } from './password-resets/password-changes.service.js';
import { PasswordResetsController } from './password-resets/password-resets.controller.js';
import { PasswordResetsMaintenanceRepository } from './password-resets/password-resets.repository.js';
import { PasswordResetsService } from './password-resets/password-resets.service.js';
import { PasswordsService } from './passwords/passwords.service.js';
import {
  IdentitiesBySubjectMaintenanceRepository,
  IdentitiesRepository,
} from './identities/identities.repository.js';
import { IdentitiesService } from './identities/identities.service.js';
import { OwnIdentitiesService } from './identities/own-identities.service.js';
import { ProviderConnectionsService } from './identities/provider-connections.service.js';
import { ProvidersService } from './identities/providers.service.js';
import { ProviderArrivalsService } from './provider-log-in/provider-arrivals.service.js';
import { ProviderLogInController } from './provider-log-in/provider-log-in.controller.js';
import { ProviderLogInService } from './provider-log-in/provider-log-in.service.js';
import { ProviderSignUpService } from './provider-log-in/provider-sign-up.service.js';
import { EntryService } from './log-in/entry.service.js';
import { LogInController } from './log-in/log-in.controller.js';
import { LogInService } from './log-in/log-in.service.js';
import { ReauthenticationService } from './log-in/reauthentication.service.js';
import { SecondStepService } from './log-in/second-step.service.js';
import { LogInStepsMaintenanceRepository } from './log-in-steps/log-in-steps.repository.js';
import { LogInStepsService } from './log-in-steps/log-in-steps.service.js';
import { OperatorsController } from './operators/operators.controller.js';
import { OperatorsService } from './operators/operators.service.js';
import { TimelineController } from './operators/timeline.controller.js';
import { AccountListMaintenanceRepository } from './operators/account-list.repository.js';
import { AccountRecordsController } from './operators/account-records.controller.js';
import { AuditEntriesMaintenanceRepository } from './operators/audit-entries.repository.js';
import { AuditedRequestsMaintenanceRepository } from './operators/audited-requests.repository.js';
import { TimelineRepository } from './operators/timeline.repository.js';
import { AddedWaysService } from './passkeys/added-ways.service.js';
import { OwnPasskeysService } from './passkeys/own-passkeys.service.js';
import { PasskeyLogInService } from './passkeys/passkey-log-in.service.js';
import { PasskeysController } from './passkeys/passkeys.controller.js';
import {
  PasskeysByCredentialMaintenanceRepository,
  PasskeysRepository,
} from './passkeys/passkeys.repository.js';
import { PasskeysService } from './passkeys/passkeys.service.js';
import { OwnerMailService } from './people/owner-mail.service.js';
import { PeopleByAddressMaintenanceRepository } from './people/people-by-address.repository.js';
import { PeopleRepository } from './people/people.repository.js';
import { PeopleService } from './people/people.service.js';
import { DataKeysRepository } from './personal-data/data-keys.repository.js';
import { PersonalDataService } from './personal-data/personal-data.service.js';
import { ProfileController } from './profile/profile.controller.js';
import { ProfileService } from './profile/profile.service.js';
import { ConfirmationService } from './registration/confirmation.service.js';
import { ForgetSignUpsJob } from './registration/forget-sign-ups.job.js';
import { RegistrationController } from './registration/registration.controller.js';
import { RegistrationService } from './registration/registration.service.js';
import { SignUpPasswordsService } from './registration/sign-up-passwords.service.js';
import { SignUpsMaintenanceRepository } from './registration/sign-ups.repository.js';
import { SignUpsService } from './registration/sign-ups.service.js';
import { OwnSecondFactorService } from './second-factor/own-second-factor.service.js';
import { SecondFactorController } from './second-factor/second-factor.controller.js';
import { SecondFactorRepository } from './second-factor/second-factor.repository.js';
import { SecondFactorsService } from './second-factor/second-factors.service.js';
import { CurrentSessionsService } from './sessions/current-sessions.service.js';
import { SessionTokensMaintenanceRepository } from './sessions/session-tokens.repository.js';
import { SessionsController } from './sessions/sessions.controller.js';
import { SessionsRepository } from './sessions/sessions.repository.js';
import { SessionsService } from './sessions/sessions.service.js';

export interface AccountModuleOptions {
  config: AccountConfig;
  clock: Clock;
  logger: Logger;
  transport: EventTransport;
  database: Database;
  maintenanceDatabase: Database;
  mail: MailTransport;
}

export const CONTROLLERS = [
  AuditCheckController,
  KeysController,
  KeyManagementController,
  KeyRecordController,
  LeakedKeysController,
  LogInController,
  SessionsController,
  SecondFactorController,
  ProviderLogInController,
  PasskeysController,
  RegistrationController,
  PasswordResetsController,
  ProfileController,
  AddressChangesController,
  MailedLinksController,
  BillingDetailsController,
  DeletionController,
  OperatorsController,
  AccountRecordsController,
  TimelineController,
  ExportController,
];

/** The features, each listed before those that may use it. */
const FEATURES = [
  [DataKeysRepository, PersonalDataService],
  [AuditMaintenanceRepository, AuditService],
  [
    AuditCheckMaintenanceRepository,
    AuditAnchorsMaintenanceRepository,
    AuditAnchorsService,
    AuditCheckService,
    AnchorAuditJob,
  ],
  [IdempotencyRepository, IdempotencyService],
  [AccountsRepository, AccountsService],
  [ThrottlingMaintenanceRepository, ThrottlingService, LinkAttemptsService],
  [PasswordsService],
  [PeopleRepository, PeopleByAddressMaintenanceRepository, PeopleService, OwnerMailService],
  [SessionTokensMaintenanceRepository, CurrentSessionsService, SessionsRepository, SessionsService],
  [SecondFactorRepository, SecondFactorsService, OwnSecondFactorService],
  [LogInStepsMaintenanceRepository, LogInStepsService],
  [
    IdentitiesRepository,
    IdentitiesBySubjectMaintenanceRepository,
    IdentitiesService,
    ProvidersService,
    OwnIdentitiesService,
    ProviderConnectionsService,
  ],
  [EntryService, LogInService, ReauthenticationService, SecondStepService],
  [
    PasskeysRepository,
    PasskeysByCredentialMaintenanceRepository,
    PasskeysService,
    AddedWaysService,
    OwnPasskeysService,
    PasskeyLogInService,
  ],
  [KeysRepository, KeyChangesService, KeysService],
  [KeyManagementService],
  [ProviderSignUpService, ProviderArrivalsService, ProviderLogInService],
  [KeyRecordMaintenanceRepository, KeyRecordService, ExpireKeysJob],
  [GithubSignaturesService, LeakedKeysService],
  [
    SignUpsMaintenanceRepository,
    SignUpsService,
    SignUpPasswordsService,
    RegistrationService,
    ConfirmationService,
    ForgetSignUpsJob,
  ],
  [
    PasswordResetsMaintenanceRepository,
    PasswordResetsService,
    ForgottenPasswordsService,
    PasswordChangesService,
    MailedResetsService,
  ],
  [ProfileService],
  [
    AddressChangesRepository,
    AddressChangeLinksMaintenanceRepository,
    AddressChangeLinksService,
    AddressChangesService,
  ],
  [MailedLinksService],
  [BillingDetailsRepository, BillingDetailsService],
  [
    WaysInService,
    ErasedDataService,
    DeletionService,
    ErasureMaintenanceRepository,
    ErasedAccountsService,
    ErasureService,
    EraseJob,
  ],
  [
    OperatorsService,
    TimelineRepository,
    AuditedRequestsMaintenanceRepository,
    AccountListMaintenanceRepository,
    AuditEntriesMaintenanceRepository,
  ],
  [ExportService],
];

@Module({})
export class AccountModule {
  static register(options: AccountModuleOptions): DynamicModule {
    const { config, clock, logger, transport, database, maintenanceDatabase, mail } = options;
    const mails = new MailQueue();
    return {
      module: AccountModule,
      imports: [
        ServiceModule.register({ name: 'account', clock, logger, secret: config }),
        MessagingModule.register({ service: 'account', clock, transport, database }),
      ],
      controllers: CONTROLLERS,
      providers: [
        Pages,
        { provide: AccountConfig, useValue: config },
        { provide: AuditSeal, useValue: new AuditSeal(config.auditAnchorSecret) },
        { provide: Database, useValue: database },
        { provide: MaintenanceDatabase, useValue: maintenanceDatabase },
        { provide: RollPartitionsJob, useValue: new RollPartitionsJob(maintenanceDatabase) },
        { provide: MailOutbox, useValue: new MailOutbox(mails) },
        {
          provide: MailSender,
          useValue: new MailSender(maintenanceDatabase, mail, logger, mails),
        },
        ...FEATURES.flat(),
      ],
    };
  }
}
