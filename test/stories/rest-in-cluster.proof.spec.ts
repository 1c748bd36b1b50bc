import { afterAll, beforeAll, describe } from '@jest/globals';
import { PROCESSOR_NAMES } from '#libs/contracts';
import { buyCredits } from './buy-credits.story.js';
import { describeOnCluster, openCluster } from './deployment.js';
import { plansAndMoneyBack } from './plans.story.js';
import { watchedNames } from './watched-names.story.js';

/**
 * The stories that `cluster.spec.ts` leaves out: their events and calls pass between the same services, and they run in
 * one process with the others.
 */
describeOnCluster('with a process for each service, over Kafka', () => {
  let deployment: Awaited<ReturnType<typeof openCluster>>;
  beforeAll(async () => {
    deployment = await openCluster();
  });
  afterAll(() => deployment?.stop());

  describe('watched names', () => watchedNames(() => deployment));

  describe('credits are bought with paypal', () => buyCredits(() => deployment, 'paypal'));

  describe.each(PROCESSOR_NAMES)('plans and refunds with %s', (processor) =>
    plansAndMoneyBack(() => deployment, processor),
  );
});
