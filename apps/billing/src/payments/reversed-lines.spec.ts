import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Reversal } from '../payment-records/reversal.entity.js';
import { reversedLines } from './reversed-lines.js';
import { takenCredits } from './taken-credits.js';

const [march, april] = [new Date('2026-03-01T00:00:00Z'), new Date('2026-04-01T00:00:00Z')];
const lineOf = (
  id: string,
  amountMicros: bigint,
  {
    startsAt = null,
    ...more
  }: { taxMicros?: bigint; startsAt?: Date | null; credits?: bigint } = {},
) => ({ id, amountMicros, taxMicros: 0n, credits: null, startsAt, ...more });
const shares = (lines: { refundedMicros: string; paidMicros: string }[]) =>
  lines.map(({ refundedMicros, paidMicros }) => [refundedMicros, paidMicros].map(Number));

describe('a reversed amount', () => {
  const lines = [lineOf('a', 80n, { taxMicros: 10n }), lineOf('b', 10n), lineOf('c', 0n)];
  const reversed = (amountMicros: bigint, paidMicros?: bigint) =>
    shares(reversedLines({ amountMicros, startsAt: null }, lines, paidMicros));

  it('is divided among the lines in proportion to their prices, tax included', () => {
    expect(reversed(50n)).toEqual([
      [45, 90],
      [5, 10],
      [0, 0],
    ]);
  });

  it('is at most what the customer paid, which also limits what each line cost', () => {
    const all = [
      [90, 90],
      [10, 10],
      [0, 0],
    ];
    expect([reversed(100n), reversed(101n), reversed(101n, 200n)]).toEqual([all, all, all]);
    expect(reversed(60n, 50n)).toEqual([
      [45, 45],
      [5, 5],
      [0, 0],
    ]);
  });

  it('is divided without a remainder', () => {
    const price = fc.bigInt(0n, 1_000n);
    fc.assert(
      fc.property(
        fc.array(price, { minLength: 1, maxLength: 5 }),
        price,
        (prices, amountMicros) => {
          const total = prices.reduce((sum, one) => sum + one, 0n);
          const own = prices.map((micros, at) => lineOf(String(at), micros));
          const parts = reversedLines({ amountMicros, startsAt: null }, own);
          const sum = parts.reduce((rest, { refundedMicros }) => rest + BigInt(refundedMicros), 0n);
          expect(sum).toBe(amountMicros < total ? amountMicros : total);
          expect(parts.map(({ paidMicros }) => BigInt(paidMicros))).toEqual(prices);
        },
      ),
      { seed: 20261129 },
    );
  });

  it('concerns the rest of a line’s time from the start of the refund or of the line, whichever is later', () => {
    const timed = [lineOf('a', 1n, { startsAt: march }), lineOf('b', 1n, { startsAt: april })];
    const from = (startsAt: Date) =>
      reversedLines({ amountMicros: 2n, startsAt }, [...timed, lineOf('c', 1n)]);
    expect(from(march)).toMatchObject([
      { scope: 'remaining', from: march.toISOString() },
      { scope: 'remaining', from: april.toISOString() },
      { scope: 'whole' },
    ]);
    expect(from(april)[0]).toMatchObject({ from: april.toISOString() });
    const whole = reversedLines({ amountMicros: 2n, startsAt: null }, timed);
    expect(whole.map(({ scope }) => scope)).toEqual(['whole', 'whole']);
  });
});

describe('the package credits that a reversal takes', () => {
  const reversal = (id: string, amountMicros: bigint, changes: Partial<Reversal> = {}) =>
    ({
      id,
      amountMicros,
      state: 'final',
      createdAt: march,
      startsAt: null,
      ...changes,
    }) as Reversal;
  const lines = [
    lineOf('a', 90n, { credits: 10n }),
    lineOf('b', 90n),
    lineOf('c', 0n, { credits: 7n }),
  ];

  it('are in proportion to the money, rounded up once for all reversals of a line', () => {
    const [first, second, third] = [reversal('1', 20n), reversal('2', 20n), reversal('3', 140n)];
    const all = [first, second, third];
    // The first line loses 10, 20 and then 90 of its 90 micros.
    expect(takenCredits(first, [first], lines)).toBe(2n);
    expect(takenCredits(second, [first, second], lines)).toBe(1n);
    expect(takenCredits(third, all, lines)).toBe(7n);
    expect(takenCredits(reversal('4', 20n), all, lines)).toBe(0n);
  });

  it('do not depend on later or undone reversals', () => {
    const later = reversal('2', 100n, { createdAt: april });
    const undone = reversal('3', 100n, { state: 'undone' });
    const own = reversal('1', 20n);
    expect(takenCredits(own, [own, later, undone], lines)).toBe(2n);
  });
});
