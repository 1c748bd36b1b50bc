import { afterAll, beforeAll } from '@jest/globals';
import { describeOnCluster, openCluster } from './deployment.js';
import { plansAndMoneyBack } from './plans.story.js';

/** The same stories with Stripe run with the others of a cluster. */
describeOnCluster('plans at PayPal, with a process for each service, over Kafka', () => {
  let deployment: Awaited<ReturnType<typeof openCluster>>;
  beforeAll(async () => {
    deployment = await openCluster();
  });
  afterAll(() => deployment?.stop());

  plansAndMoneyBack(() => deployment, 'paypal');
});
