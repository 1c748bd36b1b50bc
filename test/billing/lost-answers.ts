import type { PaymentsSimulator } from '../../apps/simulators/src/payments/payments-simulator.js';
import type { ProcessorStage } from './processor-stage.js';

/** Every answer is lost: a client may repeat a call by itself, with the same key. */
export function losingAnswersOf({ apiFaults }: PaymentsSimulator): ProcessorStage['losingAnswers'] {
  return async (work) => {
    apiFaults.lostAnswers = Infinity;
    try {
      return await work();
    } finally {
      apiFaults.lostAnswers = 0;
    }
  };
}
