import { afterAll, beforeAll, describe } from '@jest/globals';
import { PROCESSOR_NAMES } from '#libs/contracts';
import { buyCredits } from './buy-credits.story.js';
import { openSoloWithPayments } from './deployment.js';
import { plansAndMoneyBack } from './plans.story.js';

describe('in one process: credits are bought', () => {
  let deployment: Awaited<ReturnType<typeof openSoloWithPayments>>;
  beforeAll(async () => {
    deployment = await openSoloWithPayments();
  });
  afterAll(() => deployment?.stop());

  describe.each(PROCESSOR_NAMES)('with %s', (processor) => buyCredits(() => deployment, processor));

  // The stories with Stripe run in a cluster (`cluster.spec.ts`).
  describe('plans and refunds with PayPal', () => plansAndMoneyBack(() => deployment, 'paypal'));
});
