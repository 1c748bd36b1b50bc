import { type Micros, shareOfMoney } from '#libs/platform';
import { grossOf } from '../pricing/purchased-line.entity.js';
import type { StoredPaymentLine } from '../payment-records/payment-line.entity.js';
import type { Reversal } from '../payment-records/reversal.entity.js';

type TimedLine = Pick<StoredPaymentLine, 'amountMicros' | 'taxMicros' | 'startsAt' | 'periodEnd'>;

/** Returns the amount of a payment that can still be reversed. Failed refunds and won disputes do not reduce it. */
export function leftOf(paidMicros: Micros, reversals: readonly Reversal[]): Micros {
  const counting = reversals.filter(({ state }) => state !== 'undone');
  const left = counting.reduce((rest, { amountMicros }) => rest - amountMicros, paidMicros);
  return left > 0n ? left : 0n;
}

/** Returns the money of all refunds for the rest of a period, requested or final. Failed refunds do not count. */
export function restRefunded(reversals: readonly Reversal[]): Micros {
  return reversals
    .filter(({ scope, state }) => scope === 'remaining' && state !== 'undone')
    .reduce((sum, { amountMicros }) => sum + amountMicros, 0n);
}

/**
 * Returns the money, tax included, for the time of a payment's lines from `from` on, rounded to the nearest cent for
 * each line. If a coupon or a balance paid part of the lines, only what the customer paid counts.
 * @returns undefined for a payment without a period, or if its period is over by then.
 */
export function restOf(
  paidMicros: Micros,
  lines: readonly TimedLine[],
  from: Date,
): Micros | undefined {
  const total = lines.reduce((sum, line) => sum + grossOf(line), 0n);
  const isAll = paidMicros >= total;
  let rest = 0n;
  for (const line of lines) {
    const { startsAt, periodEnd } = line;
    if (startsAt === null || periodEnd === null || from >= periodEnd) return undefined;
    const begin = from > startsAt ? from : startsAt;
    const [part, whole] = [msBetween(begin, periodEnd), msBetween(startsAt, periodEnd)];
    rest += isAll
      ? shareOfMoney(grossOf(line), part, whole)
      : shareOfMoney(grossOf(line), part * paidMicros, whole * total);
  }
  return rest;
}

const msBetween = (from: Date, to: Date) => BigInt(to.getTime() - from.getTime());
