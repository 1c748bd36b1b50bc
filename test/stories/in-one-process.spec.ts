import { afterAll, beforeAll, describe } from '@jest/globals';
import { WebhookReceiver } from '../worker/webhook-receiver.js';
import { bulkJobs } from './bulk-jobs.story.js';
import { buyCredits } from './buy-credits.story.js';
import { databaseFiles } from './database-files.story.js';
import { openSoloWithPayments } from './deployment.js';
import { plansAndMoneyBack } from './plans.story.js';
import { watchedNames } from './watched-names.story.js';

/**
 * Runs the stories in one installation, because its start takes as long as a short story. `cluster.spec.ts` runs those
 * from sign-up to erasure, about purchases with Stripe and about notifications.
 */
describe('in one process', () => {
  const receiver = new WebhookReceiver();
  let deployment: Awaited<ReturnType<typeof openSoloWithPayments>>;
  beforeAll(async () => {
    await receiver.start();
    deployment = await openSoloWithPayments(receiver.environment);
  });
  afterAll(async () => {
    receiver.stop();
    await deployment?.stop();
  });

  // This story runs first, before another story advances the clock by months.
  describe('database files', () => databaseFiles(() => deployment));

  describe('credits are bought with PayPal', () => buyCredits(() => deployment, 'paypal'));

  // Billing's own specs test the plans of both processors.
  describe('plans and refunds with PayPal', () => plansAndMoneyBack(() => deployment, 'paypal'));

  describe('many names', () => bulkJobs(() => deployment, receiver));

  describe('watched names', () => watchedNames(() => deployment));
});
