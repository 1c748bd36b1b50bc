import type { AddressInfo } from 'node:net';
import { Stripe } from 'stripe';
import { CallRate } from '../../apps/billing/src/processors/call-rate.js';
import { StripeProcessor } from '../../apps/billing/src/processors/stripe/stripe-processor.js';
import { PaymentsSimulator } from '../../apps/simulators/src/payments/payments-simulator.js';
import { TestClock } from '#test/environment';
import { listenForCallbacks } from './callback-door.js';
import { pressButton } from './hosted-page.js';
import { losingAnswersOf } from './lost-answers.js';
import type { ProcessorHarness, ReceivedCallback } from './processor-harness.js';

const SECRETS = {
  current: 'the current secret of the endpoint',
  next: 'the next secret of the endpoint',
  foreign: 'the secret of another endpoint',
} as const;

const OBJECTS = { checkout: 'checkout.session', refund: 'refund' } as const;

export async function openStripeHarness(): Promise<ProcessorHarness> {
  const clock = new TestClock();
  const simulator = new PaymentsSimulator(clock);
  const apiUrl = await simulator.start();
  const received: ReceivedCallback[] = [];
  const endpoint = await listenForCallbacks(received);
  const { port } = endpoint.address() as AddressInfo;
  simulator.sendCallbacksTo({ url: `http://localhost:${port}/`, secret: SECRETS.current });
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
    processor: adapterWith(['current']),
    clock,
    adapterWith,
    received,
    delivered,
    sign,
    signAsLive: (raw) => {
      const event = JSON.parse(raw.toString()) as object;
      return sign(Buffer.from(JSON.stringify({ ...event, livemode: true })));
    },
    act: pressButton,
    agree: () => Promise.reject(new Error('Stripe asks for no approval')),
    pass: async (ms) => {
      clock.advance(ms);
      simulator.clock.runDue();
      await delivered();
    },
    losingAnswers: losingAnswersOf(simulator),
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
    stop: async () => {
      await simulator.stop();
      endpoint.closeAllConnections();
      await new Promise((resolve) => endpoint.close(resolve));
    },
  };
}
