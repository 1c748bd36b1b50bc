import { grossOf } from '../pricing/purchased-line.entity.js';
import type { StoredPaymentLine } from '../payment-records/payment-line.entity.js';
import type { Reversal } from '../payment-records/reversal.entity.js';
import { reversedLines } from './reversed-lines.js';

type PaidLine = Pick<
  StoredPaymentLine,
  'id' | 'amountMicros' | 'taxMicros' | 'startsAt' | 'credits'
>;

/**
 * Returns the package credits that a reversal revokes in addition to earlier reversals of its payment. If the reversal
 * is undone, the same credits are restored. The number is the one that entitlement books: in proportion to the money,
 * rounded up once per line. Used credits become debt.
 */
export function takenCredits(
  reversal: Reversal,
  all: readonly Reversal[],
  lines: readonly PaidLine[],
): bigint {
  const isUndone = reversal.state === 'undone';
  // Later reversals still take their credits when this one is undone.
  const earlier = all.filter(
    ({ id, state, createdAt }) =>
      id !== reversal.id && state !== 'undone' && (isUndone || createdAt <= reversal.createdAt),
  );
  return sumOf([...earlier, reversal], lines) - sumOf(earlier, lines);
}

function sumOf(reversals: readonly Reversal[], lines: readonly PaidLine[]): bigint {
  const taken = reversals.flatMap((reversal) => reversedLines(reversal, lines));
  return lines.reduce((sum, line) => {
    const paid = grossOf(line);
    if (line.credits === null || paid === 0n) return sum;
    const shares = taken.filter(({ lineId }) => lineId === line.id);
    const micros = shares.reduce((total, share) => total + BigInt(share.refundedMicros), 0n);
    const counting = micros < paid ? micros : paid;
    return sum + (line.credits * counting + paid - 1n) / paid;
  }, 0n);
}
