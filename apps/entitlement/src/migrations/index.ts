import type { Migration } from '#libs/database';
import { messaging } from './0001-messaging.js';
import { accountsAndGrants } from './0002-accounts-and-grants.js';
import { ledger } from './0003-ledger.js';
import { reservations } from './0004-reservations.js';
import { paymentsAndSubscriptions } from './0005-payments-and-subscriptions.js';
import { allowances } from './0006-allowances.js';
import { usedCredits } from './0007-used-credits.js';
import { outboxOfKey } from './0008-outbox-of-key.js';
import { jobRuns } from './0009-job-runs.js';
import { unfinishedRuns } from './0010-unfinished-runs.js';
import { closedHolds } from './0011-closed-holds.js';

/** The migrations, in order; a released migration is never edited. */
export const migrations: Migration[] = [
  messaging,
  accountsAndGrants,
  ledger,
  reservations,
  paymentsAndSubscriptions,
  allowances,
  usedCredits,
  outboxOfKey,
  jobRuns,
  unfinishedRuns,
  closedHolds,
];
