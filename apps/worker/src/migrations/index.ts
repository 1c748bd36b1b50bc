import type { Migration } from '#libs/database';
import { messaging } from './0001-messaging.js';
import { jobRuns } from './0002-job-runs.js';
import { work } from './0003-work.js';
import { mail } from './0004-mail.js';
import { accounts } from './0005-accounts.js';
import { jobs } from './0006-jobs.js';
import { webhooks } from './0007-webhooks.js';
import { uploads } from './0008-uploads.js';
import { monitors } from './0009-monitors.js';
import { files } from './0010-files.js';
import { collector } from './0011-collector.js';
import { monitorFinds } from './0012-monitor-finds.js';
import { monitorTests } from './0013-monitor-tests.js';
import { paidChecks } from './0014-paid-checks.js';
import { deliveriesOfNames } from './0015-deliveries-of-names.js';
import { monitorsMade } from './0016-monitors-made.js';
import { ownChecks } from './0017-own-checks.js';
import { rejectedLines } from './0018-rejected-lines.js';
import { arrivedAnswers } from './0019-arrived-answers.js';
import { repeatedRequests } from './0020-repeated-requests.js';
import { unsupportedNames } from './0021-unsupported-names.js';
import { unchargedJobs } from './0022-uncharged-jobs.js';
import { dailyCounts } from './0023-daily-counts.js';
import { freeLines } from './0024-free-lines.js';
import { failedNames } from './0025-failed-names.js';
import { failedChecks } from './0026-failed-checks.js';
import { hastenedChecks } from './0027-hastened-checks.js';
import { unfinishedRuns } from './0028-unfinished-runs.js';
import { dueWork } from './0029-due-work.js';
import { idempotency } from './0030-idempotency.js';

/** The migrations, in order; a released migration is never edited. */
export const migrations: Migration[] = [
  messaging,
  jobRuns,
  work,
  mail,
  accounts,
  jobs,
  webhooks,
  uploads,
  monitors,
  files,
  collector,
  monitorFinds,
  monitorTests,
  paidChecks,
  deliveriesOfNames,
  monitorsMade,
  ownChecks,
  rejectedLines,
  arrivedAnswers,
  repeatedRequests,
  unsupportedNames,
  unchargedJobs,
  dailyCounts,
  freeLines,
  failedNames,
  failedChecks,
  hastenedChecks,
  unfinishedRuns,
  dueWork,
  idempotency,
];
