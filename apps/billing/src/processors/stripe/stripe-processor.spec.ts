import { Stripe } from 'stripe';
import { describePaymentProcessor } from '../../../../../test/billing/payment-processor.contract.js';
import { CallRate } from '../call-rate.js';
import { StripeProcessor } from './stripe-processor.js';
import type { ProcessorHarness } from '../../../../../test/billing/processor-harness.js';
import { openSimulated } from '../../../../../test/billing/simulated-processor.js';

const SECRETS = {
  current: 'the current secret of the endpoint',
  next: 'the next secret of the endpoint',
  foreign: 'the secret of another endpoint',
} as const;

const OBJECTS = { checkout: 'checkout.session', refund: 'refund' } as const;

async function openStripeHarness(): Promise<ProcessorHarness> {
  const { clock, simulator, apiUrl, callbackUrl, partsWith } = await openSimulated();
  simulator.sendCallbacksTo({ url: callbackUrl, secret: SECRETS.current });
  const adapterWith: ProcessorHarness['adapterWith'] = (secrets) =>
    new StripeProcessor({
      rate: new CallRate(1_000),
      apiKey: () => 'sk_test_simulator',
      apiUrl,
      callbackSecrets: () => secrets.map((name) => SECRETS[name]),
      clock,
    });
  const delivered = () => simulator.callbacks.idle();
  const sign: ProcessorHarness['sign'] = (raw, secret = 'current') => {
    const timestamp = Math.floor(clock.now().getTime() / 1000);
    const options = { payload: raw.toString(), secret: SECRETS[secret], timestamp };
    const signature = Stripe.webhooks.generateTestHeaderString(options);
    return { raw, headers: { 'stripe-signature': signature } };
  };
  return {
    ...partsWith(delivered),
    processor: adapterWith(['current']),
    adapterWith,
    sign,
    signAsLive: (raw) => {
      const event = JSON.parse(raw.toString()) as object;
      return sign(Buffer.from(JSON.stringify({ ...event, livemode: true })));
    },
    agree: () => Promise.reject(new Error('Stripe asks for no approval')),
    count: (kind) => simulator.world.all(OBJECTS[kind]).length,
    setCard: async (id, card) => simulator.invoices.setCard(id, card),
    failRefund: async ({ id }) => {
      simulator.payments.failRefund(id);
      await delivered();
    },
    dispute: async (paymentId) => {
      const { id } = simulator.payments.dispute(paymentId);
      await delivered();
      return id;
    },
    decideDispute: async (id, decision) => {
      simulator.payments.decideDispute(id, decision);
      await delivered();
    },
  };
}

describePaymentProcessor('Stripe', openStripeHarness);
