import { type PaypalOrder, timeOf } from '../paypal-objects.js';
import { paymentSnapshot } from '../paypal-snapshots.js';

/** Returns the latest payment of the order that pays for a change; undefined before the first. */
export const captureOf = ({ purchase_units: units }: PaypalOrder) =>
  units?.[0]?.payments?.captures?.at(-1);

/** Returns when the order's money arrived; undefined if it has not. */
export function paidAt(order: PaypalOrder): Date | undefined {
  const capture = captureOf(order);
  const isPaid = capture && paymentSnapshot(capture).state === 'succeeded';
  return isPaid ? timeOf(capture.create_time) : undefined;
}

/** Whether the order's money has arrived, or is under review and may arrive. */
export function isTaken(order: PaypalOrder | undefined): boolean {
  const capture = order && captureOf(order);
  return capture !== undefined && paymentSnapshot(capture).state !== 'failed';
}

export const isReviewed = (order: PaypalOrder | undefined) =>
  order !== undefined && isTaken(order) && paidAt(order) === undefined;
