import type { BillSnapshot } from '../processors/payment-processor.js';
import type { Subscription } from './subscription.entity.js';

type HeldMembers = Pick<Subscription, 'setAsideBecause' | 'heldThrough' | 'heldBillIds'>;

export const NOTHING_HELD: HeldMembers = {
  setAsideBecause: null,
  heldThrough: null,
  heldBillIds: [],
};

/**
 * Returns the columns for an unreadable paid bill. Until the alerted operator decides, the customer has the rights that
 * the bill would have granted, unless it is the bill of a change. At PayPal, a bill is its own payment. Such a bill is
 * remembered, because nothing else shows its money.
 */
export function heldWith(
  { heldBillIds }: Subscription,
  { id, paymentId, lines, reason }: BillSnapshot,
  fault: string,
): Partial<HeldMembers> {
  const ends = reason === 'change' ? [] : lines.map(({ to }) => to.getTime());
  return {
    setAsideBecause: fault,
    ...(ends.length > 0 && { heldThrough: new Date(Math.max(...ends)) }),
    ...(paymentId === id && { heldBillIds: [...new Set([...heldBillIds, id])] }),
  };
}

/**
 * Returns the columns after a bill has been stored or its money returned. The mark ends with the last remembered bill
 * or, if none was remembered, once the paid period covers the rights.
 */
export function heldWithout(
  { heldThrough, heldBillIds }: Subscription,
  billId: string,
  paidThrough: Date | null,
): Partial<HeldMembers> {
  const left = heldBillIds.filter((id) => id !== billId);
  const isCovered = heldThrough === null || (paidThrough !== null && heldThrough <= paidThrough);
  const isOver = left.length === 0 && (isCovered || heldBillIds.length > 0);
  return isOver ? NOTHING_HELD : { heldBillIds: left };
}
