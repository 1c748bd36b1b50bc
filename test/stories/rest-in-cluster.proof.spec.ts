import { afterAll, beforeAll, describe } from '@jest/globals';
import { describeOnCluster, openCluster } from './deployment.js';
import { plansAndMoneyBack } from './plans.story.js';
import { watchedNames } from './watched-names.story.js';

/**
 * Runs the stories that `cluster.spec.ts` leaves out. Their events and calls pass between the same services as those of
 * the stories there, and they also run in one process.
 */
describeOnCluster('the other stories, with a process for each service, over Kafka', () => {
  let deployment: Awaited<ReturnType<typeof openCluster>>;
  beforeAll(async () => {
    deployment = await openCluster();
  });
  afterAll(() => deployment?.stop());

  describe('watched names', () => watchedNames(() => deployment));

  describe('plans and refunds with PayPal', () => plansAndMoneyBack(() => deployment, 'paypal'));
});
