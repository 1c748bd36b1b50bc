const AHEAD_MAX = 1_000;
/** Fetched ahead is at most a twentieth of what is spendable. */
const AHEAD_DIVISOR = 20;

/**
 * Credits to give for a request that costs `min` by a holder that would like `wanted` ahead. The
 * bounds cap only what is fetched ahead: `min` is given whenever it is spendable.
 * @returns 0 when it is not.
 */
export function leaseAmount(min: number, wanted: number, spendable: number): number {
  if (spendable < min) return 0;
  const ahead = Math.max(1, Math.min(wanted, AHEAD_MAX, Math.floor(spendable / AHEAD_DIVISOR)));
  return Math.min(spendable, Math.max(min, ahead));
}
