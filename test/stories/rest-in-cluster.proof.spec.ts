import { afterAll, beforeAll, describe } from '@jest/globals';
import { PROCESSOR_NAMES } from '#libs/contracts';
import { databaseFiles } from './database-files.story.js';
import { describeOnCluster, openCluster } from './deployment.js';
import { plansAndMoneyBack } from './plans.story.js';
import { watchedNames } from './watched-names.story.js';

/**
 * Runs the stories that `cluster.spec.ts` leaves out. Except for the plans with Stripe, they also run in one process
 * (`in-one-process.spec.ts`).
 */
describeOnCluster('the other stories, with a process for each service, over Kafka', () => {
  let deployment: Awaited<ReturnType<typeof openCluster>>;
  beforeAll(async () => {
    deployment = await openCluster();
  });
  afterAll(() => deployment?.stop());

  // This story runs first, before another story advances the clock by months.
  describe('database files', () => databaseFiles(() => deployment));

  describe('watched names', () => watchedNames(() => deployment));

  describe.each(PROCESSOR_NAMES)('plans and refunds with %s', (processor) =>
    plansAndMoneyBack(() => deployment, processor),
  );
});
