import type { RemainingReversedLine, WholeReversedLine } from '#libs/contracts';
import type { Micros } from '#libs/platform';
import { grossOf } from '../pricing/purchased-line.entity.js';
import type { Reversal } from '../payment-records/reversal.entity.js';
import type { StoredPaymentLine } from '../payment-records/payment-line.entity.js';

type PaidLine = Pick<StoredPaymentLine, 'id' | 'amountMicros' | 'taxMicros' | 'startsAt'>;

/**
 * Distributes a reversed amount over a payment's lines in proportion to their prices, tax included. Rounding errors do
 * not add up: the shares sum to the amount, or to the amount paid for the lines if that is less.
 * @param paidMicros the amount that the customer paid, by default what the lines cost; less if a coupon or a balance
 *   paid a part.
 */
export function reversedLines(
  { amountMicros, startsAt }: Pick<Reversal, 'amountMicros' | 'startsAt'>,
  lines: readonly PaidLine[],
  paidMicros?: Micros,
): (WholeReversedLine | RemainingReversedLine)[] {
  const total = lines.reduce((sum, line) => sum + grossOf(line), 0n);
  const paid = paidMicros !== undefined && paidMicros < total ? paidMicros : total;
  const shares = spread(paid, lines, total);
  const taken = spread(amountMicros < paid ? amountMicros : paid, lines, total);
  return lines.map((line, at) => {
    const money = {
      lineId: line.id,
      refundedMicros: taken[at].toString(),
      paidMicros: shares[at].toString(),
    };
    if (startsAt === null || line.startsAt === null) return { ...money, scope: 'whole' };
    const from = line.startsAt > startsAt ? line.startsAt : startsAt;
    return { ...money, scope: 'remaining', from: from.toISOString() };
  });
}

/** Distributes an amount over lines whose prices sum to `total`. */
function spread(micros: Micros, lines: readonly PaidLine[], total: Micros): Micros[] {
  let [seen, given] = [0n, 0n];
  return lines.map((line) => {
    seen += grossOf(line);
    const upToHere = total === 0n ? 0n : (micros * seen) / total;
    const share = upToHere - given;
    given = upToHere;
    return share;
  });
}
