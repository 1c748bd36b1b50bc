import type { UnpaidChangeAnswer } from '#libs/contracts';
import type { UnpaidChange } from '../processors/payment-processor.js';
import type { Subscription } from './subscription.entity.js';

export const NOTHING_UNPAID = {
  unpaidSku: null,
  unpaidQuantity: null,
  unpaidMicros: null,
  unpaidPage: null,
  unpaidUntil: null,
  unpaidBecause: null,
} as const;

/**
 * Returns the columns for a change that waits for its payment. A processor may report a declined payment only once, so
 * the state "declined" is kept.
 */
export function unpaidMembers(
  row: Subscription,
  change: UnpaidChange | null,
): Partial<Subscription> {
  if (!change) return NOTHING_UNPAID;
  const { sku, quantity, dueMicros, pageUrl, until } = change;
  const isSamePlan = row.unpaidSku === sku && row.unpaidQuantity === quantity;
  const isSame = isSamePlan && row.unpaidUntil?.getTime() === until.getTime();
  const isDeclined = change.isDeclined || (isSame && row.unpaidBecause === 'declined');
  return {
    unpaidSku: sku,
    unpaidQuantity: quantity,
    unpaidMicros: dueMicros.toString(),
    unpaidPage: pageUrl || null,
    unpaidUntil: until,
    unpaidBecause: isDeclined ? 'declined' : 'waiting',
  };
}

/**
 * Returns the change that waits for its payment; null if there is none, or if its page has expired. PayPal does not
 * report that expiry.
 */
export function unpaidAnswer(row: Subscription, now: Date): UnpaidChangeAnswer | null {
  const { unpaidSku: sku, unpaidQuantity, unpaidMicros, unpaidPage, unpaidUntil: until } = row;
  if (sku === null || until === null) return null;
  if (unpaidPage !== null && until <= now) return null;
  return {
    sku,
    quantity: unpaidQuantity ?? 1,
    due_micros: unpaidMicros ?? '0',
    is_declined: row.unpaidBecause === 'declined',
    pay_url: unpaidPage,
    until: until.toISOString(),
  };
}

const NOT_TAKEN = 'the processor does not take the payment of a change: ';

/** Whether the processor has last refused to take the approved payment of a change, other than by declining it. */
export const isNotTaken = ({ setAsideBecause: known }: Pick<Subscription, 'setAsideBecause'>) =>
  known !== null && known.startsWith(NOT_TAKEN);

/**
 * Returns the columns of a subscription that is set aside while the processor refuses to take the payment of a change,
 * although the customer has agreed to it. Only the operator can end that.
 */
export function notTakenMembers(
  { setAsideBecause: known }: Pick<Subscription, 'setAsideBecause'>,
  because: string | undefined,
): Partial<Pick<Subscription, 'setAsideBecause'>> {
  // Another reason may hold the rights of a bill that could not be read.
  if (known !== null && !known.startsWith(NOT_TAKEN)) return {};
  return { setAsideBecause: because === undefined ? null : NOT_TAKEN + because };
}
