import { PaymentsSimulator } from '../../apps/simulators/src/payments/payments-simulator.js';
import { TestClock } from '#test/environment';
import { CallbackEndpoint } from './callback-endpoint.js';
import { pressButton } from './hosted-page.js';
import { losingAnswersOf } from './lost-answers.js';
import type { ProcessorHarness, ReceivedCallback } from './processor-harness.js';

/** The members that all simulated processors have in common. */
type SharedParts = Pick<
  ProcessorHarness,
  'clock' | 'received' | 'delivered' | 'act' | 'pass' | 'losingAnswers' | 'stop'
>;

/** The simulator with its own clock, and an endpoint that stores its callbacks. */
export async function openSimulated() {
  const clock = new TestClock();
  const simulator = new PaymentsSimulator(clock);
  const apiUrl = await simulator.start();
  const received: ReceivedCallback[] = [];
  const endpoint = await CallbackEndpoint.open(async (raw, headers) => {
    received.push({ raw, headers });
    return { status: 200 };
  });
  /** @param delivered resolves when every callback has arrived. */
  const partsWith = (delivered: () => Promise<void>): SharedParts => ({
    clock,
    received,
    delivered,
    act: pressButton,
    pass: async (ms) => {
      clock.advance(ms);
      simulator.clock.runDue();
      await delivered();
    },
    losingAnswers: losingAnswersOf(simulator),
    stop: async () => {
      await simulator.stop();
      await endpoint.close();
    },
  });
  return { clock, simulator, apiUrl, callbackUrl: endpoint.url, partsWith };
}
