import type { OrderState } from '#libs/contracts';
import type { CheckoutSnapshot } from '../processors/payment-processor.js';

/** States in which no money has arrived yet but may still arrive. */
export const OPEN_ORDER_STATES = ['created', 'redirected', 'processing'] as const;

/** Whether no money has arrived yet. */
export const isUnpaid = (state: OrderState) =>
  ['created', 'redirected', 'processing', 'expired', 'failed', 'cancelled'].includes(state);

/**
 * Returns the state of an order after its checkout has been fetched. Money counts whenever it arrives, even after the
 * order has expired or was cancelled. Once a payment has determined the state, only a later refund or dispute changes
 * the state.
 */
export function stateAfterCheckout(
  state: OrderState,
  checkout: CheckoutSnapshot['state'],
): OrderState {
  if (!isUnpaid(state)) return state;
  if (checkout === 'paid') return 'paid';
  if (state === 'cancelled') return state;
  return checkout === 'open' ? 'redirected' : checkout;
}

/** The paid and the reversed money of an order, which determine the order's state. */
export interface ReversedMoney {
  paidMicros: bigint;
  refundedMicros: bigint;
  isDisputed: boolean;
}

export function stateAfterReversal(money: ReversedMoney): OrderState {
  if (money.isDisputed) return 'disputed';
  if (money.refundedMicros === 0n) return 'paid';
  return money.refundedMicros >= money.paidMicros ? 'refunded' : 'partially_refunded';
}
