import { afterAll, beforeAll, describe } from '@jest/globals';
import { PROCESSOR_NAMES } from '#libs/contracts';
import { buyCredits } from './buy-credits.story.js';
import { describeOnCluster, openCluster } from './deployment.js';
import { plansAndMoneyBack } from './plans.story.js';

/** The stories about money that `cluster.spec.ts` leaves out, because they pass the same ways between processes. */
describeOnCluster('with a process for each service, over Kafka', () => {
  let deployment: Awaited<ReturnType<typeof openCluster>>;
  beforeAll(async () => {
    deployment = await openCluster();
  });
  afterAll(() => deployment?.stop());

  describe('credits are bought with paypal', () => buyCredits(() => deployment, 'paypal'));

  describe.each(PROCESSOR_NAMES)('plans and refunds with %s', (processor) =>
    plansAndMoneyBack(() => deployment, processor),
  );
});
