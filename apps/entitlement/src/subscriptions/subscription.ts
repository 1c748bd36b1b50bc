import type { MonitorSlots, RateLimits, SubscriptionState } from '#libs/contracts';
import { GRACE_MS } from './monthly-slices.js';

/** A subscription as its last snapshot says. */
export interface Subscription {
  id: string;
  accountId: string;
  line: 'api' | 'domainer' | 'rate_limit';
  state: SubscriptionState;
  sku: string;
  quantity: number;
  interval: 'month' | 'year';
  periodStart: Date;
  periodEnd: Date;
  paidThrough?: Date;
  cancelAt?: Date;
  limits: RateLimits;
  monitors: MonitorSlots;
  keys: number;
  datasets: string[];
  catalogueVersion: string;
}

const RENEWING: readonly SubscriptionState[] = ['trialing', 'active', 'past_due'];

/** True while the next payment is expected. */
export function isRenewing({ state, cancelAt }: Subscription): boolean {
  return RENEWING.includes(state) && !cancelAt;
}

/**
 * When the rights of a subscription end if nothing more is heard of it: paid through, plus the days
 * of grace while a renewal is expected; undefined when it gives none.
 */
export function rightsEnd(subscription: Subscription): Date | undefined {
  const { state, cancelAt, paidThrough } = subscription;
  if (!paidThrough) return undefined;
  if (!RENEWING.includes(state) && state !== 'cancelled') return undefined;
  const paid = paidThrough.getTime();
  if (isRenewing(subscription)) return new Date(paid + GRACE_MS);
  return new Date(Math.min(paid, cancelAt?.getTime() ?? paid));
}
