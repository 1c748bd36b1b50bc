import { describePaymentProcessor } from '../../../../../test/billing/payment-processor.contract.js';
import { CallRate } from '../call-rate.js';
import { PaypalProcessor } from './paypal-processor.js';

const LIVE_CERTIFICATE = 'https://api.paypal.com/v1/notifications/certs/CERT-360caa42-fca2a594';

describePaymentProcessor('PayPal', {
  // Ids of an endpoint at PayPal, which are part of the signed text.
  secrets: { current: '5GP028458E2496506', next: '9XK11229LB', foreign: '0AB57372M' },
  adapterWith: (webhookIds, { simulator, clock, apiUrl }) =>
    new PaypalProcessor({
      rate: new CallRate(1_000),
      apiUrl: `${apiUrl}/paypal`,
      clientId: 'simulator',
      clientSecret: () => 'a secret of the tests',
      returnUrl: 'http://localhost:1/subscriptions',
      webhookIds,
      authorities: [simulator.paypal.identity.authorityPem],
      clock,
    }),
  callbacksOf: ({ paypal }) => paypal.callbacks,
  sign: (raw, webhookId, { simulator }) => ({
    raw,
    headers: simulator.paypal.identity.headersFor(raw, webhookId),
  }),
  asLive: (raw, sign) => ({
    raw,
    headers: { ...sign(raw).headers, 'paypal-cert-url': LIVE_CERTIFICATE },
  }),
});
