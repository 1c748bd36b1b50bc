import type { PaymentsSimulator } from '../../apps/simulators/src/payments/payments-simulator.js';
import type { ProcessorHarness } from './processor-harness.js';

/** Loses every answer, so that the client repeats the call with the same key. */
export function losingAnswersOf({
  apiFaults,
}: PaymentsSimulator): ProcessorHarness['losingAnswers'] {
  return async (work) => {
    apiFaults.lostAnswers = Infinity;
    try {
      return await work();
    } finally {
      apiFaults.lostAnswers = 0;
    }
  };
}
