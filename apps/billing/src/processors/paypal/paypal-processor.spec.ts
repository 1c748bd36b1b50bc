import { describePaymentProcessor } from '../../../../../test/billing/payment-processor.contract.js';
import { CallRate } from '../call-rate.js';
import { PaypalProcessor } from './paypal-processor.js';
import { agreeAtPaypal } from '../../../../../test/billing/hosted-page.js';
import type { ProcessorHarness } from '../../../../../test/billing/processor-harness.js';
import { openSimulated } from '../../../../../test/billing/simulated-processor.js';

/** Ids of an endpoint at PayPal, which are part of the signed text. */
const WEBHOOK_IDS = { current: '5GP028458E2496506', next: '9XK11229LB', foreign: '0AB57372M' };

async function openPaypalHarness(): Promise<ProcessorHarness> {
  const { clock, simulator, apiUrl, callbackUrl, partsWith } = await openSimulated();
  const { paypal } = simulator;
  paypal.callbacks.target = { url: callbackUrl, secret: WEBHOOK_IDS.current };
  const adapterWith: ProcessorHarness['adapterWith'] = (names) =>
    new PaypalProcessor({
      rate: new CallRate(1_000),
      apiUrl: `${apiUrl}/paypal`,
      clientId: 'simulator',
      clientSecret: () => 'a secret of the tests',
      returnUrl: 'http://localhost:1/subscriptions',
      webhookIds: names.map((name) => WEBHOOK_IDS[name]),
      authorities: [paypal.identity.authorityPem],
      clock,
    });
  const delivered = () => paypal.callbacks.idle();
  const sign: ProcessorHarness['sign'] = (raw, name = 'current') => ({
    raw,
    headers: paypal.identity.headersFor(raw, WEBHOOK_IDS[name]),
  });
  return {
    ...partsWith(delivered),
    processor: adapterWith(['current']),
    adapterWith,
    sign,
    signAsLive: (raw) => {
      const { headers } = sign(raw);
      const url = 'https://api.paypal.com/v1/notifications/certs/CERT-360caa42-fca2a594';
      return { raw, headers: { ...headers, 'paypal-cert-url': url } };
    },
    agree: agreeAtPaypal,
    count: (kind) => paypal.world.all(kind === 'checkout' ? 'order' : 'refund').length,
    setCard: async (_, behaviour) => {
      paypal.subscriptions.setFunds(behaviour);
    },
    failRefund: async ({ id }) => {
      paypal.captures.failRefund(id);
      await delivered();
    },
    dispute: async (paymentId) => {
      const { dispute_id: id } = paypal.captures.dispute(paymentId);
      await delivered();
      return id;
    },
    decideDispute: async (id, decision) => {
      paypal.captures.decideDispute(id, decision);
      await delivered();
    },
  };
}

describePaymentProcessor('PayPal', openPaypalHarness);
