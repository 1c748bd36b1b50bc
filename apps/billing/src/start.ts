import {
  AuditJob,
  RollPartitionsJob,
  addInvariantMetrics,
  openAuditorDatabase,
  openServiceDatabases,
} from '#libs/database';
import { MailSender, type MailTransport, UnsentMail, addMailMetrics } from '#libs/mail';
import type { EventTransport } from '#libs/messaging';
import {
  type Clock,
  DAY_MS,
  HOUR_MS,
  type Logger,
  MINUTE_MS,
  Metrics,
  type RunningService,
  SECOND_MS,
  startService,
} from '#libs/platform';
import { type JobDeclaration, startBackgroundWork } from '#libs/services';
import { addWorkMetrics } from '#libs/work';
import type { BillingConfig } from './billing.config.js';
import { addSetAsideMetrics } from './auditor/set-aside-money.js';
import { BillingModule } from './billing.module.js';
import { ForgetCallbacksJob } from './callbacks/forget-callbacks.job.js';
import { ForgetReasonsJob } from './cancellation-reasons/forget-reasons.job.js';
import { MissedEventsJob } from './missed-news/missed-events.job.js';
import { OpenOrdersJob } from './missed-news/open-orders.job.js';
import { DestroyKeysJob } from './invoice-encryption/destroy-keys.job.js';
import { InvoiceRevision } from './invoices/invoice-revision.entity.js';
import { Invoice } from './invoices/invoice.entity.js';
import { PrintInvoicesJob } from './invoices/print-invoices.job.js';
import { CloseCheckoutsJob } from './orders/close-checkouts.job.js';
import { OrderLine } from './orders/order-line.entity.js';
import { Order } from './orders/order.entity.js';
import { StoredPaymentLine } from './payment-records/payment-line.entity.js';
import { Payment } from './payment-records/payment.entity.js';
import { ReturnMoneyJob } from './refunds/return-money.job.js';
import { Reversal } from './payment-records/reversal.entity.js';
import { ReconcileJob } from './reconciliation/reconcile.job.js';
import { ServiceClients } from './service-clients.js';
import { SettleRefundsJob } from './refunds/settle-refunds.job.js';
import { FollowTaxJob } from './subscription-tax/follow-tax.job.js';
import { FollowAccountsJob } from './followed-subscriptions/follow-accounts.job.js';
import { TakeOverWorkJob } from './last-release/take-over-work.job.js';
import { MailNoticesJob } from './subscription-notices/mail-notices.job.js';
import { Subscription } from './subscriptions/subscription.entity.js';
import { addSyncMetrics } from './processor-sync/sync-metrics.js';
import { SyncObjectsJob } from './processor-sync/sync-objects.job.js';

export const JOBS: readonly JobDeclaration[] = [
  { job: MailSender, everyMs: SECOND_MS, runs: 'process' },
  { job: PrintInvoicesJob, everyMs: SECOND_MS, runs: 'process' },
  { job: MailNoticesJob, everyMs: MINUTE_MS, runs: 'installation' },
  { job: SyncObjectsJob, everyMs: SECOND_MS, runs: 'process' },
  { job: TakeOverWorkJob, everyMs: 10 * SECOND_MS, runs: 'installation' },
  { job: AuditJob, everyMs: 5 * MINUTE_MS, runs: 'process' },
  { job: OpenOrdersJob, everyMs: 5 * MINUTE_MS, runs: 'installation' },
  { job: CloseCheckoutsJob, everyMs: 10 * SECOND_MS, runs: 'installation' },
  { job: FollowAccountsJob, everyMs: 3 * SECOND_MS, runs: 'installation' },
  { job: FollowTaxJob, everyMs: MINUTE_MS, runs: 'installation' },
  { job: ReturnMoneyJob, everyMs: 10 * SECOND_MS, runs: 'installation' },
  { job: SettleRefundsJob, everyMs: MINUTE_MS, runs: 'installation' },
  { job: ForgetCallbacksJob, everyMs: DAY_MS, runs: 'installation' },
  { job: ForgetReasonsJob, everyMs: DAY_MS, runs: 'installation' },
  { job: DestroyKeysJob, everyMs: DAY_MS, runs: 'installation' },
  { job: ReconcileJob, everyMs: DAY_MS, runs: 'installation' },
  { job: MissedEventsJob, everyMs: 10 * MINUTE_MS, runs: 'installation' },
  { job: RollPartitionsJob, everyMs: HOUR_MS, runs: 'installation' },
];

/** The maximum size of a callback's body (S46). */
const RAW_BODY_LIMIT_BYTES = 1024 * 1024;

export const ENTITIES = [
  Invoice,
  InvoiceRevision,
  Order,
  OrderLine,
  Payment,
  StoredPaymentLine,
  Reversal,
  Subscription,
  UnsentMail,
];

export interface BillingOptions {
  config: BillingConfig;
  clock: Clock;
  logger: Logger;
  transport: EventTransport;
  /** The e-mail transport. Its creator closes it. */
  mail: MailTransport;
  /** If false, jobs run only when they are called; true by default. */
  isScheduled?: boolean;
}

/** Starts the billing service: databases, listener, relay, jobs. `stop` closes all of them. */
export async function startBilling(options: BillingOptions): Promise<RunningService> {
  const { config, logger, transport } = options;
  const { database, maintenanceDatabase } = await openServiceDatabases('billing', config, ENTITIES);
  const auditorDatabase = await openAuditorDatabase('billing', config);
  const databases = { database, maintenanceDatabase, auditorDatabase };
  const service = await startService({
    module: BillingModule.register({ ...options, ...databases }),
    logger,
    port: config.port,
    host: config.host,
    config,
    rawBodyLimitBytes: RAW_BODY_LIMIT_BYTES,
    strategy: transport.strategyFor('billing', database),
  });
  const clients = service.app.get(ServiceClients, { strict: false });
  const metrics = service.app.get(Metrics, { strict: false });
  addMailMetrics(metrics, maintenanceDatabase);
  addWorkMetrics(metrics, maintenanceDatabase);
  addSyncMetrics(metrics, maintenanceDatabase);
  addSetAsideMetrics(metrics, maintenanceDatabase);
  addInvariantMetrics(metrics, 'billing', service.app.get(AuditJob, { strict: false }));
  const jobs = (options.isScheduled ?? true) ? JOBS : [];
  const work = { name: 'billing', logger, transport, jobs, ...databases } as const;
  const running = await startBackgroundWork(service, work);
  return { ...running, stop: async () => running.stop().finally(() => clients.close()) };
}
