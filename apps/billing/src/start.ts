import { Database, addPoolMetrics } from '#libs/database';
import { type EventTransport, addEventMetrics } from '#libs/messaging';
import {
  type Clock,
  Health,
  type Logger,
  MINUTE_MS,
  Metrics,
  type RunningService,
  SECOND_MS,
  Schedule,
  startService,
} from '#libs/platform';
import { type JobDeclaration, scheduleJobs } from '#libs/services';
import type { BillingConfig } from './billing.config.js';
import { BillingModule } from './billing.module.js';
import { MissedEventsJob } from './healing/missed-events.job.js';
import { OpenOrdersJob } from './healing/open-orders.job.js';
import { CloseCheckoutsJob } from './orders/close-checkouts.job.js';
import { OrderLine } from './orders/order-line.entity.js';
import { Order } from './orders/order.entity.js';
import { StoredPaymentLine } from './payments/payment-line.entity.js';
import { Payment } from './payments/payment.entity.js';
import { ReturnMoneyJob } from './refunds/return-money.job.js';
import { Reversal } from './payments/reversal.entity.js';
import { SettleRefundsJob } from './refunds/settle-refunds.job.js';
import { FollowAccountsJob } from './subscriptions/follow-accounts.job.js';
import { Subscription } from './subscriptions/subscription.entity.js';
import { SyncObjectsJob } from './sync/sync-objects.job.js';

export const JOBS: readonly JobDeclaration[] = [
  { job: SyncObjectsJob, everyMs: SECOND_MS, runs: 'process' },
  { job: OpenOrdersJob, everyMs: 5 * MINUTE_MS, runs: 'installation' },
  { job: CloseCheckoutsJob, everyMs: 10 * SECOND_MS, runs: 'installation' },
  { job: FollowAccountsJob, everyMs: 10 * SECOND_MS, runs: 'installation' },
  { job: ReturnMoneyJob, everyMs: 10 * SECOND_MS, runs: 'installation' },
  { job: SettleRefundsJob, everyMs: MINUTE_MS, runs: 'installation' },
  { job: MissedEventsJob, everyMs: 10 * MINUTE_MS, runs: 'installation' },
];

/** Of a callback (S46). */
const RAW_BODY_LIMIT_BYTES = 1024 * 1024;

/** Tables whose rows are objects. */
export const ENTITIES = [Order, OrderLine, Payment, StoredPaymentLine, Reversal, Subscription];

export interface BillingOptions {
  config: BillingConfig;
  clock: Clock;
  logger: Logger;
  transport: EventTransport;
  /** False: jobs run when somebody calls them, not by themselves. */
  isScheduled?: boolean;
}

/** Starts the billing service: databases, listener, relay, jobs. `stop` closes all in reverse. */
export async function startBilling(options: BillingOptions): Promise<RunningService> {
  const { config, logger, transport } = options;
  const database = await open(config.databaseUrl, 'billing');
  const maintenanceDatabase = await open(config.maintenanceDatabaseUrl, 'billing maintenance');
  const service = await startService({
    module: BillingModule.register({ ...options, database, maintenanceDatabase }),
    logger,
    port: config.port,
    host: config.host,
    rawBodyLimitBytes: RAW_BODY_LIMIT_BYTES,
    strategy: transport.strategyFor('billing', database),
  });
  const health = service.app.get(Health, { strict: false });
  health.add({ name: 'database', check: async () => void (await database.query('select 1')) });
  health.add({ name: 'broker', isOptional: true, check: () => transport.check() });
  const metrics = service.app.get(Metrics, { strict: false });
  addEventMetrics(metrics, { service: 'billing', transport, database });
  addPoolMetrics(metrics, { billing: database, maintenance: maintenanceDatabase });
  await transport.startRelay('billing', maintenanceDatabase);
  const schedule = new Schedule(logger);
  if (options.isScheduled ?? true) scheduleJobs(schedule, service, JOBS);
  return {
    ...service,
    stop: async () => {
      await schedule.stop();
      await transport.stopRelay('billing');
      await service.stop();
      await maintenanceDatabase.close();
      await database.close();
    },
  };
}

function open(url: string, applicationName: string): Promise<Database> {
  return Database.open({ url, applicationName, entities: ENTITIES });
}
