import type { Migration } from '#libs/database';
import { messaging } from './0001-messaging.js';
import { accounts } from './0002-accounts.js';
import { audit } from './0003-audit.js';
import { idempotency } from './0004-idempotency.js';
import { apiKeys } from './0005-api-keys.js';
import { peopleAndSessions } from './0006-people-and-sessions.js';
import { mail } from './0007-mail.js';
import { signUps } from './0008-sign-ups.js';
import { billingDetails } from './0009-billing-details.js';
import { addressChanges } from './0010-address-changes.js';
import { outboxOfKey } from './0011-outbox-of-key.js';
import { auditOfRequest } from './0012-audit-of-request.js';
import { jobRuns } from './0013-job-runs.js';
import { work } from './0014-work.js';
import { searchScopes } from './0015-search-scopes.js';
import { jobsScope } from './0016-jobs-scope.js';
import { webhooksScope } from './0017-webhooks-scope.js';
import { takenBack } from './0018-taken-back.js';
import { monitorsScope } from './0019-monitors-scope.js';
import { filesScope } from './0020-files-scope.js';
import { secondFactor } from './0021-second-factor.js';
import { identities } from './0022-identities.js';
import { passkeys } from './0023-passkeys.js';
import { unfinishedRuns } from './0024-unfinished-runs.js';
import { dueWork } from './0025-due-work.js';
import { leakedKeys } from './0026-leaked-keys.js';

/** The migrations, in order; a released migration is never edited. */
export const migrations: Migration[] = [
  messaging,
  accounts,
  audit,
  idempotency,
  apiKeys,
  peopleAndSessions,
  mail,
  signUps,
  billingDetails,
  addressChanges,
  outboxOfKey,
  auditOfRequest,
  jobRuns,
  work,
  searchScopes,
  jobsScope,
  webhooksScope,
  takenBack,
  monitorsScope,
  filesScope,
  secondFactor,
  identities,
  passkeys,
  unfinishedRuns,
  dueWork,
  leakedKeys,
];
