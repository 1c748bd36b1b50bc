import type { RemainingReversedLine, WholeReversedLine } from '#libs/contracts';
import { grossOf } from '../pricing/purchased-line.entity.js';
import type { Reversal } from './reversal.entity.js';
import type { StoredPaymentLine } from './payment-line.entity.js';

type PaidLine = Pick<StoredPaymentLine, 'id' | 'amountMicros' | 'taxMicros' | 'startsAt'>;

/**
 * Spreads an amount that was taken back over a payment's lines by their money, tax included. Rounding errors do not
 * gather: the shares add up to the amount, or to all lines when it exceeds them.
 */
export function reversedLines(
  { amountMicros, startsAt }: Pick<Reversal, 'amountMicros' | 'startsAt'>,
  lines: readonly PaidLine[],
): (WholeReversedLine | RemainingReversedLine)[] {
  const total = lines.reduce((sum, line) => sum + grossOf(line), 0n);
  const taken = amountMicros < total ? amountMicros : total;
  let [seen, given] = [0n, 0n];
  return lines.map((line) => {
    seen += grossOf(line);
    const upToHere = total === 0n ? 0n : (taken * seen) / total;
    const refundedMicros = upToHere - given;
    given = upToHere;
    const money = {
      lineId: line.id,
      refundedMicros: refundedMicros.toString(),
      paidMicros: grossOf(line).toString(),
    };
    if (startsAt === null || line.startsAt === null) return { ...money, scope: 'whole' };
    const from = line.startsAt > startsAt ? line.startsAt : startsAt;
    return { ...money, scope: 'remaining', from: from.toISOString() };
  });
}
