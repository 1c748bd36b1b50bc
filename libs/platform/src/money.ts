/** Money is counted in millionths of the currency unit, as `bigint`, so that sums are always exact. */
export type Micros = bigint;

const CENT_MICROS = 10_000n;

/**
 * Returns `numerator ÷ denominator`, rounded to the nearest integer; halves are rounded away from zero, so that −x
 * rounds like x. @throws RangeError unless the denominator is above zero.
 */
export function divideHalfUp(numerator: bigint, denominator: bigint): bigint {
  if (denominator <= 0n) throw new RangeError('the denominator is not above zero');
  if (numerator < 0n) return -divideHalfUp(-numerator, denominator);
  return (2n * numerator + denominator) / (2n * denominator);
}

/** Rounds an amount to the nearest whole cent; halves as in `divideHalfUp`. */
export function roundToCent(micros: Micros): Micros {
  return divideHalfUp(micros, CENT_MICROS) * CENT_MICROS;
}

/**
 * Returns `part ÷ whole` of an amount, rounded to whole cents as by `divideHalfUp`; for proration and tax.
 * @throws RangeError unless `whole` is above zero.
 */
export function shareOfMoney(micros: Micros, part: bigint, whole: bigint): Micros {
  return divideHalfUp(micros * part, whole * CENT_MICROS) * CENT_MICROS;
}
