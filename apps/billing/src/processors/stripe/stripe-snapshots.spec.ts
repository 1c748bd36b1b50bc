import { expect, it } from '@jest/globals';
import type { Stripe } from 'stripe';
import { disputeSnapshot } from './stripe-snapshots.js';

const PAID = 2_700;

it('a prevented dispute is lost if the money went back to the customer, and won if it was blocked', () => {
  const stateOf = (status: string, moved: number[]) =>
    disputeSnapshot({
      object: 'dispute',
      amount: PAID,
      balance_transactions: moved.map((amount) => ({ amount })),
      status,
    } as Stripe.Dispute).state;
  expect(stateOf('prevented', [])).toBe('won');
  expect(stateOf('prevented', [-PAID])).toBe('lost');
  expect(stateOf('prevented', [-PAID, PAID])).toBe('won');
  expect(stateOf('needs_response', [-PAID])).toBe('open');
  expect(stateOf('warning_closed', [])).toBe('won');
  expect(stateOf('lost', [-PAID])).toBe('lost');
});
