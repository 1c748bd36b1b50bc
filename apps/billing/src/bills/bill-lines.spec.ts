import { expect, it } from '@jest/globals';
import { FORMER_UNIT_MICROS } from '#libs/contracts';
import { addMonths } from '#libs/platform';
import { quoteOf } from '../pricing/quote.js';
import type { BillLine, BillSnapshot } from '../processors/payment-processor.js';
import { paidLineOf } from './bill-lines.js';

const START = new Date('2026-03-02T09:00:00Z');
const END = addMonths(START, 1);
const subscription = { id: 'one', periodStartAt: (end: Date) => (end >= END ? START : undefined) };

const line = (sku: string, amountMicros: bigint, from = START): BillLine => {
  return { sku, catalogueVersion: '1', taxPpm: 0, quantity: 1, amountMicros, from, to: END };
};
const changeFrom = (from: Date): BillSnapshot => {
  return {
    kind: 'bill',
    id: 'bill',
    subscriptionId: 'one',
    reason: 'change',
    state: 'paid',
    paymentId: 'payment',
    amountMicros: 17_000_000n,
    currency: 'USD',
    lines: [line('api-5K-month', -10_000_000n, from), line('api-15K-month', 27_000_000n, from)],
  };
};

it('a change that begins before its period is set aside instead of being retried forever', () => {
  const before = new Date(START.getTime() - 1_000);
  expect(paidLineOf(changeFrom(before), subscription)).toEqual({
    fault: 'the bill of a change begins before its period',
  });
  expect(paidLineOf(changeFrom(START), subscription)).toMatchObject({ amountMicros: 17_000_000n });
});

it.each([
  ['both', 0n],
  ['what is left of the old plan', 70_000n],
])('lines are distinguished by their plans if %s rounds to zero', (_, amountMicros) => {
  const bill = changeFrom(new Date(END.getTime() - 2_000));
  const lines = [
    { ...bill.lines[0], amountMicros: 0n },
    { ...bill.lines[1], amountMicros },
  ];
  for (const ordered of [lines, lines.toReversed()]) {
    expect(paidLineOf({ ...bill, amountMicros, lines: ordered }, subscription)).toMatchObject({
      sku: 'api-15K-month',
      amountMicros,
    });
  }
});

it('the tax of a period is that of its order, which is rounded per unit', () => {
  const add = { ...line('rate-limit-year', 4_306_800_000n), quantity: 20, taxPpm: 81_000 };
  const bill: BillSnapshot = { ...changeFrom(START), reason: 'renewal', lines: [add] };
  const quote = quoteOf(
    { product: 'subscription', sku: add.sku, quantity: 20 },
    { ppm: 81_000, isReverseCharge: false, judgedBy: null },
  );
  const [{ amountMicros, taxMicros }] = quote!.lines;
  expect([amountMicros, taxMicros]).toEqual([3_984_000_000n, 322_800_000n]);
  expect(paidLineOf(bill, subscription)).toMatchObject({ amountMicros, taxMicros });
});

it('a period costs what its plan cost in the version of the catalogue from which the plan was chosen', () => {
  FORMER_UNIT_MICROS.former = { 'api-15K-month': 20_000_000 };
  const paid = (price: bigint, catalogueVersion: string) => {
    const lines = [{ ...line('api-15K-month', price), catalogueVersion, taxPpm: 190_000 }];
    return paidLineOf({ ...changeFrom(START), reason: 'renewal', lines }, subscription);
  };
  const former = paid(23_800_000n, 'former');
  const mixed = [paid(32_130_000n, 'former'), paid(23_800_000n, '1')];
  delete FORMER_UNIT_MICROS.former;
  expect(former).toMatchObject({ amountMicros: 20_000_000n, taxMicros: 3_800_000n });
  expect(paid(32_130_000n, '1')).toMatchObject({ amountMicros: 27_000_000n });
  expect(mixed).toEqual(mixed.map(() => ({ fault: 'the bill has a different price' })));
});
