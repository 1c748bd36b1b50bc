import { describe, expect, it } from '@jest/globals';
import type { Reversal } from '../payment-records/reversal.entity.js';
import { leftOf, restOf, restRefunded } from './refund-amount.js';

const day = (n: number) => new Date(Date.UTC(2026, 2, n));
const DOLLAR = 1_000_000n;

describe('the money of a payment that can be refunded', () => {
  const reversal = (amountMicros: bigint, changes: Partial<Reversal> = {}) =>
    ({ amountMicros, state: 'final', scope: 'whole', ...changes }) as Reversal;
  const undone = reversal(50n, { state: 'undone' });
  const rest = reversal(20n, { scope: 'remaining', state: 'requested' });

  it('is what other reversals have left; undone ones do not count', () => {
    expect(leftOf(100n, [])).toBe(100n);
    expect(leftOf(100n, [reversal(30n), undone, rest])).toBe(50n);
    expect(leftOf(100n, [reversal(80n), reversal(30n)])).toBe(0n);
  });

  it('excludes only earlier refunds of the rest of a period if such a rest is refunded', () => {
    const other = reversal(5n, { scope: 'remaining' });
    const gone = reversal(9n, { scope: 'remaining', state: 'undone' });
    expect(restRefunded([reversal(30n), rest, other, gone])).toBe(25n);
  });
});

describe('the money for the rest of a period', () => {
  const line = (
    dollars: bigint,
    startsAt: Date | null = day(1),
    periodEnd: Date | null = day(11),
  ) => ({
    amountMicros: dollars * DOLLAR,
    taxMicros: 10n * DOLLAR,
    startsAt,
    periodEnd,
  });

  it('is the share of each line’s time that is left, tax included', () => {
    expect(restOf(100n * DOLLAR, [line(90n)], day(1))).toBe(100n * DOLLAR);
    expect(restOf(100n * DOLLAR, [line(90n)], day(4))).toBe(70n * DOLLAR);
    // The second line pays for the second half of the period.
    const lines = [line(90n), line(40n, day(6))];
    expect(restOf(150n * DOLLAR, lines, day(4))).toBe(120n * DOLLAR);
    expect(restOf(150n * DOLLAR, lines, day(9))).toBe(40n * DOLLAR);
  });

  it('is a share of what the customer paid, if a coupon paid a part', () => {
    expect(restOf(50n * DOLLAR, [line(90n)], day(4))).toBe(35n * DOLLAR);
  });

  it('does not exceed the price, even if more was paid', () => {
    expect(restOf(200n * DOLLAR, [line(90n)], day(4))).toBe(70n * DOLLAR);
  });

  it('is undefined if the period is over, or if there is none', () => {
    expect(restOf(100n * DOLLAR, [line(90n)], day(11))).toBeUndefined();
    expect(restOf(100n * DOLLAR, [line(90n), line(1n, null, null)], day(1))).toBeUndefined();
    expect(restOf(100n * DOLLAR, [line(90n, null)], day(1))).toBeUndefined();
  });
});
