import { isId } from '#libs/platform';
import type {
  CheckoutSnapshot,
  DisputeSnapshot,
  PaymentSnapshot,
  RefundSnapshot,
} from '../payment-processor.js';
import { UnfitObject } from '../unfit-object.js';
import { toOrderReference } from './order-reference.js';
import {
  type PaypalCapture,
  type PaypalDispute,
  type PaypalOrder,
  type PaypalRefund,
  currencyOf,
  idOf,
  linkedId,
  microsOf,
  timeOf,
} from './paypal-objects.js';
import { toChangeBillId, toChangeReference } from './subscriptions/change-reference.js';

/**
 * Returns the snapshot of an order after everything capturable has been captured. @throws UnfitObject for an unknown
 * status.
 */
export function checkoutSnapshot(order: PaypalOrder, now: Date): CheckoutSnapshot {
  const [unit = {}] = order.purchase_units ?? [];
  const reference = toOrderReference(unit.custom_id);
  const capture = unit.payments?.captures?.at(-1);
  const payment = capture && paymentSnapshot(capture);
  const isOver = !reference?.until || reference.until <= now;
  return {
    kind: 'checkout',
    id: idOf(order.id),
    orderId: reference?.orderId ?? null,
    state: checkoutState(order, payment, isOver),
    amountMicros: microsOf(unit.amount),
    currency: currencyOf(unit.amount),
    ...(payment && { payment }),
  };
}

function checkoutState(
  { id, status = '' }: PaypalOrder,
  payment: PaymentSnapshot | undefined,
  isOver: boolean,
): CheckoutSnapshot['state'] {
  if (status === 'COMPLETED') {
    if (payment?.state === 'succeeded') return 'paid';
    return payment?.state === 'failed' ? 'failed' : 'processing';
  }
  if (status === 'VOIDED') return 'expired';
  if (['CREATED', 'SAVED', 'APPROVED', 'PAYER_ACTION_REQUIRED'].includes(status)) {
    return isOver ? 'expired' : 'open';
  }
  throw new UnfitObject(`the order ${String(id)} is ${status.slice(0, 40)}`);
}

const CAPTURE_STATES: Readonly<Record<string, PaymentSnapshot['state']>> = {
  COMPLETED: 'succeeded',
  PARTIALLY_REFUNDED: 'succeeded',
  REFUNDED: 'succeeded',
  PENDING: 'pending',
  DECLINED: 'failed',
  DENIED: 'failed',
  FAILED: 'failed',
};

/** The reasons why PayPal holds or takes back money that had arrived. Refunds and disputes report that money. */
const ARRIVED = ['BUYER_COMPLAINT', 'CHARGEBACK', 'REFUNDED'];

export function paymentSnapshot(capture: PaypalCapture): PaymentSnapshot {
  const hasArrived = ARRIVED.includes(capture.status_details?.reason ?? '');
  const state = hasArrived ? 'succeeded' : CAPTURE_STATES[capture.status ?? ''];
  if (!state) throw new UnfitObject(`the capture ${String(capture.id)} is in an unknown state`);
  return {
    kind: 'payment',
    id: idOf(capture.id),
    orderId: toOrderReference(capture.custom_id)?.orderId ?? null,
    state,
    amountMicros: microsOf(capture.amount),
    currency: currencyOf(capture.amount),
    ...billOf(capture),
  };
}

/**
 * Returns the bill that a capture paid; undefined if there is none. The id of a plan change's bill is derived from the
 * order that the capture names. A subscription's payment names no order and is its own bill.
 */
function billOf({ id, custom_id: reference, supplementary_data: data }: PaypalCapture) {
  const orderId = data?.related_ids?.order_id;
  if (orderId === undefined) return toOrderReference(reference) ? undefined : { billId: idOf(id) };
  return toChangeReference(reference) && { billId: toChangeBillId(idOf(orderId)) };
}

const REFUND_STATES: Readonly<Record<string, RefundSnapshot['state']>> = {
  COMPLETED: 'succeeded',
  PENDING: 'pending',
  FAILED: 'failed',
  CANCELLED: 'failed',
};

export function refundSnapshot(refund: PaypalRefund): RefundSnapshot {
  const state = REFUND_STATES[refund.status ?? ''];
  if (!state) throw new UnfitObject(`the refund ${String(refund.id)} is in an unknown state`);
  return {
    kind: 'refund',
    id: idOf(refund.id),
    // `up` leads to the payment.
    paymentId: linkedId(refund.links, 'up'),
    refundId: refund.custom_id ?? null,
    state,
    amountMicros: microsOf(refund.amount),
    currency: currencyOf(refund.amount),
    // PayPal also reports money that it takes back in a dispute as a refund.
    ...(!isId(refund.custom_id) &&
      refund.create_time !== undefined && { disputableAt: timeOf(refund.create_time) }),
  };
}

/** Outcomes of a dispute after which we keep the money. */
const KEPT_OUTCOMES = [
  'RESOLVED_SELLER_FAVOUR',
  'RESOLVED_WITH_PAYOUT',
  'CANCELED_BY_BUYER',
  'DENIED',
  'NONE',
];

/**
 * Returns the snapshot of a dispute. PayPal withholds the money from the first inquiry on. `RESOLVED_WITH_PAYOUT` pays
 * both sides, so we also keep the money in that case. A lost dispute may cost only a part, on which both sides agreed.
 */
export function disputeSnapshot(dispute: PaypalDispute): DisputeSnapshot {
  const { status, dispute_outcome: outcome, disputed_transactions: payments } = dispute;
  const disputed = microsOf(dispute.dispute_amount);
  const currency = currencyOf(dispute.dispute_amount);
  const { outcome_code: code = '', amount_refunded: refunded } = outcome ?? {};
  const lost = refunded?.currency_code === currency ? microsOf(refunded) : disputed;
  const isLost = status === 'RESOLVED' && !KEPT_OUTCOMES.includes(code) && lost > 0n;
  return {
    kind: 'dispute',
    id: idOf(dispute.dispute_id),
    paymentId: idOf(payments?.[0]?.seller_transaction_id),
    state: isLost ? 'lost' : status === 'RESOLVED' ? 'won' : 'open',
    amountMicros: isLost ? lost : disputed,
    currency,
  };
}
