import type { Migration } from '#libs/database';
import { messaging } from './0001-messaging.js';
import { requestLog } from './0002-request-log.js';
import { keptAnswers } from './0003-kept-answers.js';
import { outboxOfKey } from './0004-outbox-of-key.js';
import { refusedRequests } from './0005-refused-requests.js';
import { logOfRequest } from './0006-log-of-request.js';
import { jobRuns } from './0007-job-runs.js';
import { countedRefusals } from './0008-counted-refusals.js';
import { answersToTestKeys } from './0009-answers-to-test-keys.js';
import { keyHours } from './0010-key-hours.js';
import { unfinishedRuns } from './0011-unfinished-runs.js';

/** The migrations, in order; a released migration is never edited. */
export const migrations: Migration[] = [
  messaging,
  requestLog,
  keptAnswers,
  outboxOfKey,
  refusedRequests,
  logOfRequest,
  jobRuns,
  countedRefusals,
  answersToTestKeys,
  keyHours,
  unfinishedRuns,
];
