import { afterAll, beforeAll, describe } from '@jest/globals';
import { describeOnCluster, openCluster } from './deployment.js';
import { plansAndMoneyBack } from './plans.story.js';
import { watchedNames } from './watched-names.story.js';

/**
 * The stories that `cluster.spec.ts` leaves out: their events and calls pass between the same services as those of the
 * stories there, and they run in one process with the others.
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
