const AHEAD_MAX = 1_000;
/** Leases prefetch at most the spendable credits divided by this. */
const AHEAD_DIVISOR = 20;

/**
 * Returns how many credits to grant to a holder that needs `min` for a request and wants to prefetch `wanted`. The
 * limits apply only to prefetched credits; `min` is granted if it is spendable.
 * @returns 0 if `min` is not spendable.
 */
export function leaseAmount(min: number, wanted: number, spendable: number): number {
  if (spendable < min) return 0;
  const ahead = Math.max(1, Math.min(wanted, AHEAD_MAX, Math.floor(spendable / AHEAD_DIVISOR)));
  return Math.min(spendable, Math.max(min, ahead));
}
