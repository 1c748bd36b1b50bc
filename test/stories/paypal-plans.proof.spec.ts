import { afterAll, beforeAll } from '@jest/globals';
import { describeOnCluster, openCluster } from './deployment.js';
import { plansAndMoneyBack } from './plans.story.js';

/** Stripe's twin runs with the other stories of a cluster. */
describeOnCluster('plans at PayPal, a process for each service, over Kafka', () => {
  let deployment: Awaited<ReturnType<typeof openCluster>>;
  beforeAll(async () => {
    deployment = await openCluster();
  });
  afterAll(() => deployment?.stop());

  plansAndMoneyBack(() => deployment, 'paypal');
});
