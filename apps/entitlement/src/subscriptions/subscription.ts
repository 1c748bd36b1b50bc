import { GRACE_MS, type SubscriptionState } from '#libs/contracts';
import type { Subscription } from './subscription.entity.js';

/**
 * The rights of a subscription by its state: to the end of the paid time, plus some days if a renewal is expected; or
 * none.
 */
const RIGHTS: Record<SubscriptionState, 'paid and grace' | 'paid' | 'none'> = {
  incomplete: 'none',
  trialing: 'paid and grace',
  active: 'paid and grace',
  past_due: 'paid and grace',
  unpaid: 'paid',
  paused: 'paid',
  cancelled: 'paid',
  expired: 'none',
};

/** True while the next payment is expected. */
export function isRenewing({ state, cancelAt }: Subscription): boolean {
  return RIGHTS[state] === 'paid and grace' && cancelAt === null;
}

/**
 * When the rights of a subscription end if no further news arrives; undefined if it grants none, because of its state
 * or because no stretch of it was paid yet.
 */
export function rightsEnd(subscription: Subscription): Date | undefined {
  const { state, paidThrough } = subscription;
  if (paidThrough === null || RIGHTS[state] === 'none') return undefined;
  return isRenewing(subscription) ? new Date(paidThrough.getTime() + GRACE_MS) : paidThrough;
}
