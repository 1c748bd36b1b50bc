import { LEAKED_KEYS, limitsOf } from '#libs/contracts';
import { KeptAnswer, RollPartitionsJob, openServiceDatabases } from '#libs/database';
import { MailSender, type MailTransport, UnsentMail, addMailMetrics } from '#libs/mail';
import type { EventTransport } from '#libs/messaging';
import {
  type Clock,
  HOUR_MS,
  type Logger,
  Metrics,
  type RunningService,
  SECOND_MS,
  startService,
} from '#libs/platform';
import { type JobDeclaration, startBackgroundWork } from '#libs/services';
import { addWorkMetrics } from '#libs/work';
import type { AccountConfig } from './account.config.js';
import { AccountModule } from './account.module.js';
import { Account } from './accounts/account.entity.js';
import { AddressChange } from './address-change-links/address-change.entity.js';
import { AnchorAuditJob } from './audit-check/anchor-audit.job.js';
import { AnchoredHead, AuditAnchor } from './audit-check/audit-anchor.entity.js';
import { AuditEntry } from './audit/audit-entry.entity.js';
import { BillingDetails } from './billing-details/billing-details.entity.js';
import { EraseJob } from './deletion/erase.job.js';
import { ExpireKeysJob } from './key-records/expire-keys.job.js';
import { ApiKey } from './keys/key.entity.js';
import { Identity } from './identities/identity.entity.js';
import { LogInStep } from './log-in-steps/log-in-step.entity.js';
import { Passkey } from './passkeys/passkey.entity.js';
import { PasswordReset } from './password-resets/password-reset.entity.js';
import { Person } from './people/person.entity.js';
import { DataKey } from './personal-data/data-key.entity.js';
import { ForgetSignUpsJob } from './registration/forget-sign-ups.job.js';
import { SignUp } from './registration/sign-up.entity.js';
import { SecondFactor } from './second-factor/second-factor.entity.js';
import { Session } from './sessions/session.entity.js';

/** The interval is short, because a run without due work costs only one indexed query. */
const JOB_INTERVAL_MS = 10 * SECOND_MS;

export const JOBS: readonly JobDeclaration[] = [
  { job: MailSender, everyMs: SECOND_MS, runs: 'process' },
  { job: ExpireKeysJob, everyMs: JOB_INTERVAL_MS, runs: 'process' },
  // Jobs that erase personal data run once in the installation: the alert JobLate then reports their failures.
  { job: ForgetSignUpsJob, everyMs: JOB_INTERVAL_MS, runs: 'installation' },
  { job: EraseJob, everyMs: JOB_INTERVAL_MS, runs: 'installation' },
  { job: AnchorAuditJob, everyMs: JOB_INTERVAL_MS, runs: 'installation' },
  { job: RollPartitionsJob, everyMs: HOUR_MS, runs: 'installation' },
];

export const ENTITIES = [
  Account,
  AddressChange,
  AnchoredHead,
  ApiKey,
  AuditAnchor,
  AuditEntry,
  BillingDetails,
  DataKey,
  Identity,
  KeptAnswer,
  LogInStep,
  Passkey,
  PasswordReset,
  Person,
  SecondFactor,
  Session,
  SignUp,
  UnsentMail,
];

export interface AccountOptions {
  config: AccountConfig;
  clock: Clock;
  logger: Logger;
  transport: EventTransport;
  /** The e-mail transport. Its creator closes it. */
  mail: MailTransport;
  /** If false, jobs run and e-mails are sent only on request; true by default. */
  isScheduled?: boolean;
}

/** Starts the account service: databases, listener, relay, jobs. `stop` closes them in reverse order. */
export async function startAccount(options: AccountOptions): Promise<RunningService> {
  const { config, logger, transport } = options;
  const databases = await openServiceDatabases('account', config, ENTITIES);
  const { maintenanceDatabase } = databases;
  const module = AccountModule.register({ ...options, ...databases });
  const service = await startService({
    module,
    logger,
    port: config.port,
    host: config.host,
    config,
    rawBodyLimitBytes: limitsOf(LEAKED_KEYS).bodyBytes,
  });
  const metrics = service.app.get(Metrics, { strict: false });
  addMailMetrics(metrics, maintenanceDatabase);
  addWorkMetrics(metrics, maintenanceDatabase);
  return startBackgroundWork(service, {
    name: 'account',
    logger,
    transport,
    jobs: (options.isScheduled ?? true) ? JOBS : [],
    ...databases,
  });
}
