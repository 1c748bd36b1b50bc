import { GRACE_MS, type SubscriptionState } from '#libs/contracts';
import type { Subscription } from './subscription.entity.js';

/**
 * How long a subscription has rights, by its state: until the end of the paid period, for the grace period after that
 * if a renewal is expected, or not at all.
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

/** True if another payment is expected. */
export function isRenewing({ state, cancelAt }: Subscription): boolean {
  return RIGHTS[state] === 'paid and grace' && cancelAt === null;
}

/**
 * Returns when a subscription's rights end if no further event arrives; undefined if it grants none, because of its
 * state or because no period is paid yet.
 */
export function rightsEnd(subscription: Subscription): Date | undefined {
  const { state, paidThrough } = subscription;
  if (paidThrough === null || RIGHTS[state] === 'none') return undefined;
  return isRenewing(subscription) ? new Date(paidThrough.getTime() + GRACE_MS) : paidThrough;
}
