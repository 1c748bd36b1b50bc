import type { Stripe } from 'stripe';
import { UnfitObject } from '../unfit-object.js';

type Known<T> = readonly Exclude<T, null>[];

/**
 * All states that we understand (API 2026-10-28.endive). The states of subscriptions are checked when a snapshot is
 * made.
 */
const STATES = {
  'checkout.session': [
    'complete',
    'expired',
    'open',
  ] satisfies Known<Stripe.Checkout.Session.Status>,
  payment_intent: [
    'canceled',
    'processing',
    'requires_action',
    'requires_capture',
    'requires_confirmation',
    'requires_payment_method',
    'succeeded',
  ] satisfies Known<Stripe.PaymentIntent.Status>,
  refund: ['pending', 'requires_action', 'succeeded', 'failed', 'canceled'],
  dispute: [
    'appeal_needs_response',
    'appeal_under_review',
    'lost',
    'needs_response',
    'prevented',
    'under_review',
    'warning_closed',
    'warning_needs_response',
    'warning_under_review',
    'won',
  ] satisfies Known<Stripe.Dispute.Status>,
  invoice: [
    'draft',
    'open',
    'paid',
    'uncollectible',
    'void',
  ] satisfies Known<Stripe.Invoice.Status>,
} as const;
const PAYMENT_STATES = ['no_payment_required', 'paid', 'unpaid'];

interface Fetched {
  id?: string;
  object: keyof typeof STATES;
  status: string | null;
  payment_status?: string;
}

/**
 * Rejects a fetched object in an unknown state, because a state from a later API version means neither paid nor unpaid.
 * Do not call this for the answer to a call that changed something, because the change has already been made.
 * @throws UnfitObject.
 */
export function inKnownState<T extends Fetched>(fetched: T): T {
  const { object, status, payment_status: payment } = fetched;
  const known: readonly string[] = STATES[object];
  if (status !== null && !known.includes(status)) throw unfit(fetched, status);
  if (payment !== undefined && !PAYMENT_STATES.includes(payment)) throw unfit(fetched, payment);
  return fetched;
}

const unfit = ({ id }: Fetched, word: string) => new UnfitObject(`${id} is ${word.slice(0, 100)}`);
