import type { AddressInfo } from 'node:net';
import { CallRate } from '../../apps/billing/src/processors/call-rate.js';
import { PaypalProcessor } from '../../apps/billing/src/processors/paypal/paypal-processor.js';
import { PaymentsSimulator } from '../../apps/simulators/src/payments/payments-simulator.js';
import { TestClock } from '#test/environment';
import { listenForCallbacks } from './callback-door.js';
import { agreeAtPaypal, pressButton } from './hosted-page.js';
import { losingAnswersOf } from './lost-answers.js';
import type { ProcessorHarness, ReceivedCallback } from './processor-harness.js';

/** Ids of an endpoint at PayPal: part of what is signed. */
const WEBHOOK_IDS = { current: '5GP028458E2496506', next: '9XK11229LB', foreign: '0AB57372M' };

export async function openPaypalHarness(): Promise<ProcessorHarness> {
  const clock = new TestClock();
  const simulator = new PaymentsSimulator(clock);
  const apiUrl = `${await simulator.start()}/paypal`;
  const { paypal } = simulator;
  const received: ReceivedCallback[] = [];
  const endpoint = await listenForCallbacks(received);
  const { port } = endpoint.address() as AddressInfo;
  paypal.callbacks.target = { url: `http://localhost:${port}/`, secret: WEBHOOK_IDS.current };
  const adapterWith: ProcessorHarness['adapterWith'] = (names) =>
    new PaypalProcessor({
      rate: new CallRate(1_000),
      apiUrl,
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
    processor: adapterWith(['current']),
    clock,
    adapterWith,
    received,
    delivered,
    sign,
    signAsLive: (raw) => {
      const { headers } = sign(raw);
      const url = 'https://api.paypal.com/v1/notifications/certs/CERT-360caa42-fca2a594';
      return { raw, headers: { ...headers, 'paypal-cert-url': url } };
    },
    act: pressButton,
    agree: agreeAtPaypal,
    pass: async (ms) => {
      clock.advance(ms);
      simulator.clock.runDue();
      await delivered();
    },
    losingAnswers: losingAnswersOf(simulator),
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
    stop: async () => {
      await simulator.stop();
      endpoint.closeAllConnections();
      await new Promise((resolve) => endpoint.close(resolve));
    },
  };
}
