import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { HOUR_MS, newId } from '#libs/platform';
import { TestClock } from '#test/environment';
import { StripeProcessor } from '../../../billing/src/processors/stripe/stripe-processor.js';
import { CallRate } from '../../../billing/src/processors/call-rate.js';
import { PaymentsSimulator } from './payments-simulator.js';

const clock = new TestClock();
let simulator: PaymentsSimulator;
beforeEach(() => {
  simulator = new PaymentsSimulator(clock);
});
afterEach(() => simulator.stop());

it.each([
  [true, 'done'],
  [false, 'refused'],
])(
  'adoption of unknown customers %p: a checkout for a customer from before a restart is %s',
  async (adopts, end) => {
    simulator.world.adoptsCustomers = adopts;
    const apiUrl = await simulator.start();
    const secrets = {
      apiKey: () => 'sk_test_simulator',
      callbackSecrets: () => ['a secret of the tests'],
    };
    const processor = new StripeProcessor({ ...secrets, apiUrl, rate: new CallRate(1_000), clock });
    const { outcome } = await processor.createCheckout({
      orderId: newId(),
      accountId: newId(),
      customerId: 'cus_0123456789abcdef01234567',
      currency: 'USD',
      lines: [
        { name: '5,000 credits', quantity: 1, amountMicros: 19_000_000n, taxMicros: 0n, taxPpm: 0 },
      ],
      expiresAt: new Date(clock.now().getTime() + HOUR_MS),
      successUrl: 'http://localhost:1/paid',
      cancelUrl: 'http://localhost:1/not-paid',
    });
    expect(outcome).toBe(end);
  },
);
