import type { Migration } from '#libs/database';
import { messaging } from './0001-messaging.js';
import { orders } from './0002-orders.js';
import { payments } from './0003-payments.js';
import { processorObjects } from './0004-processor-objects.js';
import { subscriptions } from './0005-subscriptions.js';
import { accounts } from './0006-accounts.js';
import { invoices } from './0007-invoices.js';
import { mails } from './0008-mails.js';
import { reconciliation } from './0009-reconciliation.js';
import { nextTaxRate } from './0010-next-tax-rate.js';
import { outboxOfKey } from './0011-outbox-of-key.js';
import { jobRuns } from './0012-job-runs.js';
import { moneyBesidePrices } from './0013-money-beside-prices.js';
import { unwantedPayments } from './0014-unwanted-payments.js';
import { paidPlan } from './0015-paid-plan.js';
import { work } from './0016-work.js';
import { unclaimedMoney } from './0017-unclaimed-money.js';
import { refusedPayments } from './0018-refused-payments.js';
import { failedRefunds } from './0019-failed-refunds.js';
import { failedRefundsIndex } from './0020-failed-refunds-index.js';
import { cancellationReasons } from './0021-cancellation-reasons.js';
import { encryptedReasons } from './0022-encrypted-reasons.js';
import { restorableChanges } from './0023-restorable-changes.js';
import { heldBills } from './0024-held-bills.js';
import { unfinishedRuns } from './0025-unfinished-runs.js';
import { dueWork } from './0026-due-work.js';

/** The migrations, in order; a released migration is never edited. */
export const migrations: Migration[] = [
  messaging,
  orders,
  payments,
  processorObjects,
  subscriptions,
  accounts,
  invoices,
  mails,
  reconciliation,
  nextTaxRate,
  outboxOfKey,
  jobRuns,
  moneyBesidePrices,
  unwantedPayments,
  paidPlan,
  work,
  unclaimedMoney,
  refusedPayments,
  failedRefunds,
  failedRefundsIndex,
  cancellationReasons,
  encryptedReasons,
  restorableChanges,
  heldBills,
  unfinishedRuns,
  dueWork,
];
