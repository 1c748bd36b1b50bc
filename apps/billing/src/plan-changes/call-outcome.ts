import { CHANGE_BEING_PAID, type CallResult } from '../processors/payment-processor.js';
import { ProcessorUnavailable } from '../processors/processors.errors.js';
import { ChangeRefused, PlanNotChangeable } from '../subscriptions/subscriptions.errors.js';

export const MAY_BE_MADE =
  'The payment processor did not answer, so it is not known whether the change was made. Wait a minute and look at the subscription before you try again.';
const BEING_PAID =
  'The payment processor is reviewing the payment of an earlier change. Wait until it has finished.';

/** @throws ProcessorUnavailable; the errors of `refusalOf`. */
export function valueOf<T>(outcome: CallResult<T>): T {
  if (outcome.outcome === 'done') return outcome.value;
  if (outcome.outcome === 'unknown') throw new ProcessorUnavailable(outcome.cause);
  throw refusalOf(outcome);
}

/**
 * Returns the value of a call that changes the subscription and may charge for it.
 * @throws ProcessorUnavailable with the note that the change may have been made; the errors of
 *   `refusalOf`.
 */
export function madeBy<T>(outcome: CallResult<T>): T {
  if (outcome.outcome === 'unknown') throw new ProcessorUnavailable(outcome.cause, MAY_BE_MADE);
  return valueOf(outcome);
}

/** Returns the error for a call that the processor has refused. */
export const refusalOf = (refused: CallResult<never> & { outcome: 'refused' }) =>
  refused.code === CHANGE_BEING_PAID
    ? new PlanNotChangeable(BEING_PAID)
    : new ChangeRefused(refused);
