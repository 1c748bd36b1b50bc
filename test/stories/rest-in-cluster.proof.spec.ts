import { afterAll, beforeAll, describe } from '@jest/globals';
import { PROCESSOR_NAMES } from '#libs/contracts';
import { WebhookReceiver } from '../worker/webhook-receiver.js';
import { bulkJobs } from './bulk-jobs.story.js';
import { databaseFiles } from './database-files.story.js';
import { describeOnCluster, openCluster } from './deployment.js';
import { plansAndMoneyBack } from './plans.story.js';
import { watchedNames } from './watched-names.story.js';

/**
 * Runs the stories that `cluster.spec.ts` leaves out. Except for the plans with Stripe, they also run in one process
 * (`in-one-process.spec.ts`, `behind-pgbouncer.spec.ts`).
 */
describeOnCluster('the other stories, with a process for each service, over Kafka', () => {
  const receiver = new WebhookReceiver();
  let deployment: Awaited<ReturnType<typeof openCluster>>;
  beforeAll(async () => {
    await receiver.start();
    deployment = await openCluster(receiver.environment);
  });
  afterAll(async () => {
    receiver.stop();
    await deployment?.stop();
  });

  // This story runs first, before another story advances the clock by months.
  describe('database files', () => databaseFiles(() => deployment));

  describe('many names', () => bulkJobs(() => deployment, receiver));

  describe('watched names', () => watchedNames(() => deployment));

  describe.each(PROCESSOR_NAMES)('plans and refunds with %s', (processor) =>
    plansAndMoneyBack(() => deployment, processor),
  );
});
