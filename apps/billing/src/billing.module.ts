import { type DynamicModule, Module } from '@nestjs/common';
import { AuditJob, Database, MaintenanceDatabase, RollPartitionsJob } from '#libs/database';
import { type EventTransport, MessagingModule } from '#libs/messaging';
import { type Clock, type Logger, ServiceModule, ServiceTokens } from '#libs/platform';
import { MailOutbox, MailQueue, MailSender, type MailTransport } from '#libs/mail';
import { AccountClient, EntitlementClient, Pages } from '#libs/contracts';
import { BILLING_INVARIANTS } from './auditor/invariants.js';
import { BillingConfig } from './billing.config.js';
import { CallbackOwnersMaintenanceRepository } from './callback-owners/callback-owners.repository.js';
import { CallbackOwnersService } from './callback-owners/callback-owners.service.js';
import { CallbacksController } from './callbacks/callbacks.controller.js';
import {
  CallbacksMaintenanceRepository,
  CallbacksRepository,
} from './callbacks/callbacks.repository.js';
import { RejectedCallbacksRepository } from './callbacks/rejected-callbacks.repository.js';
import { RejectedCallbacksService } from './callbacks/rejected-callbacks.service.js';
import { CallbacksService } from './callbacks/callbacks.service.js';
import { ExportController } from './account-export/account-export.controller.js';
import { ForgetCallbacksJob } from './callbacks/forget-callbacks.job.js';
import { MissedNewsRepository } from './missed-news/missed-news.repository.js';
import { MissedNewsService } from './missed-news/missed-news.service.js';
import { MissedEventsJob } from './missed-news/missed-events.job.js';
import { OpenOrdersJob } from './missed-news/open-orders.job.js';
import { AccountStatesRepository } from './account-states/account-states.repository.js';
import { AccountStatesService } from './account-states/account-states.service.js';
import { OnAccountNewsConsumer } from './account-states/on-account-news.consumer.js';
import { CustomerAffairsController } from './customer-affairs/customer-affairs.controller.js';
import { AccountMatchesController } from './account-matches/account-matches.controller.js';
import { AccountMatchesService } from './account-matches/account-matches.service.js';
import { SetAsideController } from './set-aside/set-aside.controller.js';
import { SetAsideMaintenanceRepository } from './set-aside/set-aside.repository.js';
import { ReferencesMaintenanceRepository } from './account-matches/references.repository.js';
import { TimelineController } from './timeline/timeline.controller.js';
import { TimelineRepository } from './timeline/timeline.repository.js';
import { TimelineService } from './timeline/timeline.service.js';
import { InvoiceEncryptionService } from './invoice-encryption/invoice-encryption.service.js';
import { JudgedTaxIdsRepository } from './tax-ids/judged-tax-ids.repository.js';
import { JudgedTaxIdsService } from './tax-ids/judged-tax-ids.service.js';
import {
  InvoiceKeysMaintenanceRepository,
  InvoiceKeysRepository,
} from './invoice-encryption/invoice-keys.repository.js';
import { DestroyKeysJob } from './invoice-encryption/destroy-keys.job.js';
import { InvoiceArchiveController } from './invoice-archive/invoice-archive.controller.js';
import { InvoiceArchiveService } from './invoice-archive/invoice-archive.service.js';
import { InvoicesController } from './invoices/invoices.controller.js';
import { LossesRepository } from './losses/losses.repository.js';
import { LossesService } from './losses/losses.service.js';
import { InvoicesRepository } from './invoices/invoices.repository.js';
import { InvoicesService } from './invoices/invoices.service.js';
import { OwnInvoicesService } from './invoices/own-invoices.service.js';
import { PrintInvoicesJob } from './invoices/print-invoices.job.js';
import { RevisionsRepository } from './invoices/revisions.repository.js';
import { RevisionsService } from './invoices/revisions.service.js';
import { OlderWorkRepository } from './last-release/older-work.repository.js';
import { TakeOverWorkJob } from './last-release/take-over-work.job.js';
import { ContactsService } from './contacts/contacts.service.js';
import {
  CancellationReasonsMaintenanceRepository,
  CancellationReasonsRepository,
} from './cancellation-reasons/cancellation-reasons.repository.js';
import { CancellationReasonsService } from './cancellation-reasons/cancellation-reasons.service.js';
import { ForgetReasonsJob } from './cancellation-reasons/forget-reasons.job.js';
import { MailedNoticesRepository } from './mails/mailed-notices.repository.js';
import { MailsService } from './mails/mails.service.js';
import { CloseCheckoutsJob } from './orders/close-checkouts.job.js';
import { BuyerTaxService } from './tax/buyer-tax.service.js';
import { TaxController } from './tax/tax.controller.js';
import { TaxRates } from './tax/tax-rates.js';
import { AccountPace } from './pace/account-pace.js';
import { PurchaseRulesService } from './purchase-rules/purchase-rules.service.js';
import { FollowAccountsJob } from './followed-subscriptions/follow-accounts.job.js';
import { CheckoutsService } from './orders/checkouts.service.js';
import { OrderReferencesService } from './orders/order-references.service.js';
import { OrdersController } from './orders/orders.controller.js';
import { OrdersMaintenanceRepository, OrdersRepository } from './orders/orders.repository.js';
import { OrdersService } from './orders/orders.service.js';
import { PaymentsRepository } from './payments/payments.repository.js';
import { PaymentsService } from './payments/payments.service.js';
import { ReversalsService } from './payments/reversals.service.js';
import { CallRate } from './processors/call-rate.js';
import { PaymentProcessors } from './processors/payment-processors.js';
import { PaypalProcessor } from './processors/paypal/paypal-processor.js';
import { ProcessorsController } from './processors/processors.controller.js';
import { StripeProcessor } from './processors/stripe/stripe-processor.js';
import { RefundCallsService } from './refunds/refund-calls.service.js';
import { RefundsController } from './refunds/refunds.controller.js';
import { RefundsMaintenanceRepository } from './refunds/refunds.repository.js';
import { RefundsService } from './refunds/refunds.service.js';
import { ReturnMoneyJob } from './refunds/return-money.job.js';
import { SettleRefundsJob } from './refunds/settle-refunds.job.js';
import { ProcessorMoneyService } from './reconciliation/processor-money.service.js';
import { ProcessorTruthService } from './reconciliation/processor-truth.service.js';
import { ReconcileJob } from './reconciliation/reconcile.job.js';
import { ReconciliationController } from './reconciliation/reconciliation.controller.js';
import { ReconciliationMaintenanceRepository } from './reconciliation/reconciliation.repository.js';
import { ReconciliationService } from './reconciliation/reconciliation.service.js';
import { ServiceClients } from './service-clients.js';
import { FollowTaxJob } from './subscription-tax/follow-tax.job.js';
import { RenewalTaxService } from './subscription-tax/renewal-tax.service.js';
import { UndecidedTaxesMaintenanceRepository } from './subscription-tax/undecided-taxes.repository.js';
import { OwnSubscriptionsService } from './subscriptions/own-subscriptions.service.js';
import { PlanChangesController } from './plan-changes/plan-changes.controller.js';
import { PlanChangesService } from './plan-changes/plan-changes.service.js';
import { DueNoticesMaintenanceRepository } from './subscription-notices/due-notices.repository.js';
import { MailNoticesJob } from './subscription-notices/mail-notices.job.js';
import { SubscriptionsController } from './subscriptions/subscriptions.controller.js';
import { FollowedSubscriptionsMaintenanceRepository } from './followed-subscriptions/followed-subscriptions.repository.js';
import { SubscriptionsRepository } from './subscriptions/subscriptions.repository.js';
import { SubscriptionsService } from './subscriptions/subscriptions.service.js';
import { ProcessorObjectsRepository } from './processor-sync/processor-objects.repository.js';
import { ReturnsController } from './returns/returns.controller.js';
import { ReturnsService } from './returns/returns.service.js';
import { SnapshotsService } from './processor-sync/snapshots.service.js';
import { SyncObjectsJob } from './processor-sync/sync-objects.job.js';
import { SyncService } from './processor-sync/sync.service.js';
import { WantedObjects } from './processor-sync/wanted-objects.js';

export interface BillingModuleOptions {
  config: BillingConfig;
  clock: Clock;
  logger: Logger;
  transport: EventTransport;
  database: Database;
  maintenanceDatabase: Database;
  auditorDatabase: Database;
  mail: MailTransport;
}

export const CONTROLLERS = [
  OrdersController,
  ReturnsController,
  SubscriptionsController,
  PlanChangesController,
  ProcessorsController,
  TaxController,
  InvoicesController,
  InvoiceArchiveController,
  CallbacksController,
  RefundsController,
  ReconciliationController,
  AccountMatchesController,
  SetAsideController,
  CustomerAffairsController,
  TimelineController,
  ExportController,
  OnAccountNewsConsumer,
];

/** The features, in order: each may use only those listed before it. */
const FEATURES = [
  [AccountStatesRepository, AccountStatesService],
  [ContactsService, MailedNoticesRepository, MailsService],
  [
    InvoiceKeysRepository,
    InvoiceEncryptionService,
    InvoiceKeysMaintenanceRepository,
    DestroyKeysJob,
  ],
  [JudgedTaxIdsRepository, JudgedTaxIdsService],
  [
    InvoicesRepository,
    LossesRepository,
    LossesService,
    RevisionsRepository,
    RevisionsService,
    PrintInvoicesJob,
    InvoicesService,
    OwnInvoicesService,
    InvoiceArchiveService,
  ],
  [PaymentsRepository, PaymentsService, ReversalsService],
  [OrdersRepository, OrdersMaintenanceRepository, OrderReferencesService],
  [SubscriptionsRepository, FollowedSubscriptionsMaintenanceRepository, SubscriptionsService],
  [CallbackOwnersMaintenanceRepository, CallbackOwnersService],
  [
    CheckoutsService,
    CloseCheckoutsJob,
    BuyerTaxService,
    PurchaseRulesService,
    AccountPace,
    OrdersService,
  ],
  [
    WantedObjects,
    ProcessorObjectsRepository,
    SnapshotsService,
    SyncService,
    SyncObjectsJob,
    ReturnsService,
  ],
  [OlderWorkRepository, TakeOverWorkJob],
  [
    RefundsMaintenanceRepository,
    RefundCallsService,
    RefundsService,
    ReturnMoneyJob,
    SettleRefundsJob,
  ],
  [
    CancellationReasonsRepository,
    CancellationReasonsMaintenanceRepository,
    CancellationReasonsService,
    ForgetReasonsJob,
  ],
  [OwnSubscriptionsService, PlanChangesService, FollowAccountsJob],
  [UndecidedTaxesMaintenanceRepository, RenewalTaxService, FollowTaxJob],
  [DueNoticesMaintenanceRepository, MailNoticesJob],
  [
    CallbacksRepository,
    CallbacksService,
    CallbacksMaintenanceRepository,
    RejectedCallbacksRepository,
    RejectedCallbacksService,
    ForgetCallbacksJob,
  ],
  [
    ReconciliationMaintenanceRepository,
    ProcessorMoneyService,
    ProcessorTruthService,
    ReconciliationService,
    ReconcileJob,
  ],
  [MissedNewsRepository, MissedNewsService, OpenOrdersJob, MissedEventsJob],
  [
    ReferencesMaintenanceRepository,
    SetAsideMaintenanceRepository,
    AccountMatchesService,
    TimelineRepository,
    TimelineService,
  ],
];

@Module({})
export class BillingModule {
  static register(options: BillingModuleOptions): DynamicModule {
    const { config, clock, logger, transport, database, maintenanceDatabase, mail } = options;
    const mails = new MailQueue();
    return {
      module: BillingModule,
      imports: [
        ServiceModule.register({ name: 'billing', clock, logger, secret: config }),
        MessagingModule.register({ service: 'billing', clock, transport, database }),
      ],
      controllers: CONTROLLERS,
      providers: [
        Pages,
        { provide: BillingConfig, useValue: config },
        { provide: Database, useValue: database },
        { provide: MaintenanceDatabase, useValue: maintenanceDatabase },
        { provide: RollPartitionsJob, useValue: new RollPartitionsJob(maintenanceDatabase) },
        {
          provide: ServiceClients,
          useFactory: (tokens: ServiceTokens) => new ServiceClients(config, tokens),
          inject: [ServiceTokens],
        },
        {
          provide: AccountClient,
          useFactory: ({ account }: ServiceClients) => account,
          inject: [ServiceClients],
        },
        {
          provide: EntitlementClient,
          useFactory: ({ entitlement }: ServiceClients) => entitlement,
          inject: [ServiceClients],
        },
        {
          provide: AuditJob,
          useValue: new AuditJob(options.auditorDatabase, BILLING_INVARIANTS, logger),
        },
        { provide: TaxRates, useValue: new TaxRates(config.taxRates) },
        { provide: MailOutbox, useValue: new MailOutbox(mails) },
        {
          provide: MailSender,
          useValue: new MailSender(maintenanceDatabase, mail, logger, mails),
        },
        { provide: PaymentProcessors, useValue: processorsOf(config, clock) },
        ...FEATURES.flat(),
      ],
    };
  }
}

function processorsOf(config: BillingConfig, clock: Clock): PaymentProcessors {
  const processors = [stripeOf(config, clock), paypalOf(config, clock)];
  return new PaymentProcessors(processors.filter((one) => one !== undefined));
}

function stripeOf(config: BillingConfig, clock: Clock): StripeProcessor | undefined {
  if (!config.stripeApiKey) return undefined;
  const rate = new CallRate(config.processorCallsPerSecond);
  return new StripeProcessor({
    apiKey: () => config.stripeApiKey as string,
    apiUrl: config.stripeApiUrl,
    callbackSecrets: () => config.stripeCallbackSecrets,
    rate,
    clock,
  });
}

function paypalOf(config: BillingConfig, clock: Clock): PaypalProcessor | undefined {
  const { paypalClientId: clientId } = config;
  if (!clientId || !config.paypalClientSecret) return undefined;
  return new PaypalProcessor({
    apiUrl: config.paypalApiUrl,
    clientId,
    clientSecret: () => config.paypalClientSecret as string,
    webhookIds: config.paypalWebhookIds,
    returnUrl: `${config.dashboardUrl}/billing/subscriptions`,
    rate: new CallRate(config.processorCallsPerSecond),
    ...(config.paypalCallbackCa && { authorities: [config.paypalCallbackCa] }),
    clock,
  });
}
