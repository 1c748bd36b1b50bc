const AHEAD_MAX = 1_000;
/** At most this part of the spendable credits is prefetched: a twentieth. */
const AHEAD_DIVISOR = 20;

/**
 * Returns the credits to grant to a holder whose request costs `min` and who wants to prefetch `wanted`. The limits
 * apply only to prefetched credits: `min` is granted whenever it is spendable.
 * @returns 0 if it is not.
 */
export function leaseAmount(min: number, wanted: number, spendable: number): number {
  if (spendable < min) return 0;
  const ahead = Math.max(1, Math.min(wanted, AHEAD_MAX, Math.floor(spendable / AHEAD_DIVISOR)));
  return Math.min(spendable, Math.max(min, ahead));
}
