import type { Stripe } from 'stripe';
import type { Micros } from '#libs/platform';
import type {
  BillSnapshot,
  CheckoutSnapshot,
  DisputeSnapshot,
  PaymentSnapshot,
  ProcessorRef,
  RefundSnapshot,
} from '../payment-processor.js';

const CENT_MICROS = 10_000n;

/**
 * Converts an amount to cents, as Stripe expects for currencies with two decimals. @throws for an amount that is not
 * whole cents.
 */
export function toCents(micros: Micros): number {
  if (micros % CENT_MICROS !== 0n) throw new Error(`${micros} millionths are not whole cents`);
  return Number(micros / CENT_MICROS);
}

export const toMicros = (cents: number | null) => BigInt(cents ?? 0) * CENT_MICROS;
export const dateOf = (seconds: number) => new Date(seconds * 1000);
export const currencyOf = (code: string | null) => (code ?? '').toUpperCase();

export const idOf = (reference: string | { id: string } | null | undefined) =>
  typeof reference === 'string' ? reference : (reference?.id ?? '');

const REASONS: Readonly<Record<string, BillSnapshot['reason']>> = {
  subscription_create: 'start',
  subscription_cycle: 'renewal',
  subscription_update: 'change',
};

/** Returns the reason for a bill. An update that only starts a new period, as with another interval, is a renewal. */
export function reasonOf({ billing_reason: why, lines }: Stripe.Invoice): BillSnapshot['reason'] {
  const reason = REASONS[why ?? ''] ?? 'other';
  const isProrated = lines.data.some(
    ({ parent }) => (parent?.subscription_item_details ?? parent?.invoice_item_details)?.proration,
  );
  return reason === 'change' && !isProrated ? 'renewal' : reason;
}

/**
 * Returns when a subscription ends, if that is before its next renewal; otherwise null. Stripe's customer portal writes
 * the end of the period into `cancel_at`; Stripe's dashboard may write any time.
 */
export function lastEndOf(
  subscription: Stripe.Subscription,
  { current_period_end: end }: Stripe.SubscriptionItem,
): Date | null {
  if (subscription.cancel_at_period_end) return dateOf(end);
  const at = endSetOf(subscription);
  return at !== null && at <= end ? dateOf(at) : null;
}

/**
 * Returns the time that someone wrote into `cancel_at`, which must be read with the expanded `schedule`. A schedule
 * also writes the end of its running phase there, but that does not end the subscription, because the release of the
 * schedule removes it.
 */
export function endSetOf({ cancel_at: at, schedule }: Stripe.Subscription): number | null {
  const isPhaseEnd = typeof schedule === 'object' && schedule?.end_behavior === 'release';
  return isPhaseEnd ? null : at;
}

/** Returns the snapshot of a session; it contains the payment only if `payment_intent` was expanded. */
export function checkoutSnapshot(session: Stripe.Checkout.Session): CheckoutSnapshot {
  const { payment_intent: intent } = session;
  const payment = typeof intent === 'object' && intent ? paymentSnapshot(intent) : undefined;
  return {
    kind: 'checkout',
    id: session.id,
    orderId: session.client_reference_id,
    state: checkoutState(session, payment),
    amountMicros: toMicros(session.amount_total),
    currency: currencyOf(session.currency),
    ...(payment && { payment }),
    ...(session.subscription && { subscriptionId: idOf(session.subscription) }),
  };
}

function checkoutState(
  { status, payment_status }: Stripe.Checkout.Session,
  payment: PaymentSnapshot | undefined,
): CheckoutSnapshot['state'] {
  if (status === 'expired') return 'expired';
  if (status !== 'complete') return 'open';
  if (payment_status === 'paid' || payment_status === 'no_payment_required') return 'paid';
  return payment?.state === 'failed' ? 'failed' : 'processing';
}

export function paymentSnapshot(intent: Stripe.PaymentIntent): PaymentSnapshot {
  const hasSucceeded = intent.status === 'succeeded';
  const hasFailed = ['canceled', 'requires_payment_method'].includes(intent.status);
  return {
    kind: 'payment',
    id: intent.id,
    orderId: intent.metadata.orderId ?? null,
    state: hasSucceeded ? 'succeeded' : hasFailed ? 'failed' : 'pending',
    amountMicros: toMicros(hasSucceeded ? intent.amount_received : intent.amount),
    currency: currencyOf(intent.currency),
  };
}

export function refundSnapshot(refund: Stripe.Refund): RefundSnapshot {
  const hasFailed = ['failed', 'canceled'].includes(refund.status ?? '');
  return {
    kind: 'refund',
    id: refund.id,
    paymentId: idOf(refund.payment_intent),
    refundId: refund.metadata?.refundId ?? null,
    state: refund.status === 'succeeded' ? 'succeeded' : hasFailed ? 'failed' : 'pending',
    amountMicros: toMicros(refund.amount),
    currency: currencyOf(refund.currency),
  };
}

/**
 * Returns the snapshot of a dispute. `warning_…` states are inquiries, which withdraw no money. A `prevented` dispute
 * was settled before it began: it was blocked, or the money went back to the customer without a refund. An appeal
 * reopens the same dispute.
 */
export function disputeSnapshot(dispute: Stripe.Dispute): DisputeSnapshot {
  const { status } = dispute;
  const isLost = status === 'lost' || (status === 'prevented' && isWithdrawn(dispute));
  const isWithUs = /^(won|prevented|warning_.*)$/.test(status);
  return {
    kind: 'dispute',
    id: dispute.id,
    paymentId: idOf(dispute.payment_intent),
    state: isLost ? 'lost' : isWithUs ? 'won' : 'open',
    amountMicros: toMicros(dispute.amount),
    currency: currencyOf(dispute.currency),
  };
}

/** Whether the money of a dispute was taken and not given back. Exchange rates may change both amounts. */
const isWithdrawn = ({ balance_transactions: moved }: Stripe.Dispute) =>
  moved.reduce((sum, { amount }) => sum + Math.sign(amount), 0) < 0;

/** The object to fetch for an event, by the event's type and the kind of its object. */
const REF_KINDS: readonly [type: RegExp, object: string, kind: ProcessorRef['kind']][] = [
  [/^v1\.checkout\.session\./, 'checkout.session', 'checkout'],
  [/^v1\.payment_intent\.succeeded$/, 'payment_intent', 'payment'],
  [/^v1\.(charge\.)?refund\./, 'refund', 'refund'],
  [/^v1\.charge\.dispute\./, 'dispute', 'dispute'],
  [/^v1\.customer\.subscription\./, 'subscription', 'subscription'],
  [/^v1\.invoice\.(paid|voided|marked_uncollectible)$/, 'invoice', 'bill'],
];

/** Returns the object that an event names; undefined if the event does not concern us. */
export function refOf(
  type: string,
  object: { id: string; type: string } | null | undefined,
): ProcessorRef | undefined {
  if (!object) return undefined;
  const found = REF_KINDS.find(([events, name]) => name === object.type && events.test(type));
  return found && { kind: found[2], id: object.id };
}
