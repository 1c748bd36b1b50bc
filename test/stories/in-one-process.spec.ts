import { afterAll, beforeAll, describe } from '@jest/globals';
import { buyCredits } from './buy-credits.story.js';
import { openSoloWithPayments } from './deployment.js';
import { plansAndMoneyBack } from './plans.story.js';
import { watchedNames } from './watched-names.story.js';

/**
 * Runs stories in one installation, because its start takes as long as a short story. `cluster.spec.ts` runs those from
 * sign-up to erasure, about purchases with Stripe and about notifications; `behind-pgbouncer.spec.ts` runs those about
 * files and many names.
 */
describe('in one process', () => {
  let deployment: Awaited<ReturnType<typeof openSoloWithPayments>>;
  beforeAll(async () => {
    deployment = await openSoloWithPayments();
  });
  afterAll(() => deployment?.stop());

  describe('credits are bought with PayPal', () => buyCredits(() => deployment, 'paypal'));

  // Billing's own specs test the plans of both processors.
  describe('plans and refunds with PayPal', () => plansAndMoneyBack(() => deployment, 'paypal'));

  describe('watched names', () => watchedNames(() => deployment));
});
