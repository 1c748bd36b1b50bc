import { describePaymentProcessor } from '../../../../../test/billing/payment-processor.contract.js';
import { signedCallback } from '../../../../../test/billing/signed-callback.js';
import { CallRate } from '../call-rate.js';
import { StripeProcessor } from './stripe-processor.js';

describePaymentProcessor('Stripe', {
  secrets: {
    current: 'the current secret of the endpoint',
    next: 'the next secret of the endpoint',
    foreign: 'the secret of another endpoint',
  },
  adapterWith: (secrets, { clock, apiUrl }) =>
    new StripeProcessor({
      rate: new CallRate(1_000),
      apiKey: () => 'sk_test_simulator',
      apiUrl,
      callbackSecrets: () => [...secrets],
      clock,
    }),
  callbacksOf: ({ callbacks }) => callbacks,
  sign: (raw, secret, { clock }) => ({ raw, headers: signedCallback(raw, secret, clock.now()) }),
  asLive: (raw, sign) => {
    const event = JSON.parse(raw.toString()) as object;
    return sign(Buffer.from(JSON.stringify({ ...event, livemode: true })));
  },
});
