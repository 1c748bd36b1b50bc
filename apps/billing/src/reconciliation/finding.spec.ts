import { expect, it } from '@jest/globals';
import type { LineSums } from '#libs/contracts';
import { type ComparedLine, faultOfLine } from './finding.js';

const OURS = { accountId: 'account', paymentId: 'payment', kind: 'package' } as const;

/** Compares a package of 10,000 credits, for 100 and 19 of tax, with entitlement's record of it. */
function compared(
  reversedMicros: bigint,
  reversed: string,
  isChanging = false,
): string | undefined {
  const money = { amountMicros: 100n, taxMicros: 19n, credits: 10_000n, reversedMicros };
  const line = {
    ...OURS,
    ...money,
    monthlyCredits: null,
    startsAt: null,
    isChanging,
  } as ComparedLine;
  const known = { ...OURS, amountMicros: '100', granted: '10000', reversed } as LineSums;
  return faultOfLine(line, known);
}

it.each([
  ['the price without tax', 100n, '8404', undefined],
  ['half the price', 50n, '0', 'entitlement revokes 0 of 10000'],
  ['the price with tax', 119n, '10000', undefined],
  ['the price with tax', 119n, '9999', 'entitlement revokes 9999 of 10000'],
  ['nothing', 0n, '1', 'entitlement revokes 1 of a line that is paid'],
])('a refund of %s takes its share of the credits (%d, %s)', (_, refunded, revoked, fault) => {
  expect(compared(refunded, revoked)).toBe(fault);
});

it('a reversal that has just changed is not compared, because entitlement may not know it yet', () => {
  expect(compared(119n, '0', true)).toBeUndefined();
  expect(compared(0n, '10000', true)).toBeUndefined();
});
