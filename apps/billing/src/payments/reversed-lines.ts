import type { WholeReversedLine } from '#libs/contracts';
import type { Micros } from '#libs/platform';
import type { StoredPaymentLine } from './payment-line.entity.js';

/**
 * Spreads an amount that was taken back over a payment's lines by their money. Rounding errors do not
 * gather: the shares add up to the amount, or to all lines when it exceeds them.
 */
export function wholeReversal(
  amountMicros: Micros,
  lines: readonly Pick<StoredPaymentLine, 'id' | 'amountMicros'>[],
): WholeReversedLine[] {
  const total = lines.reduce((sum, line) => sum + line.amountMicros, 0n);
  const taken = amountMicros < total ? amountMicros : total;
  let [seen, given] = [0n, 0n];
  return lines.map((line) => {
    seen += line.amountMicros;
    const upToHere = total === 0n ? 0n : (taken * seen) / total;
    const refundedMicros = upToHere - given;
    given = upToHere;
    return {
      lineId: line.id,
      scope: 'whole',
      refundedMicros: refundedMicros.toString(),
      paidMicros: line.amountMicros.toString(),
    };
  });
}
