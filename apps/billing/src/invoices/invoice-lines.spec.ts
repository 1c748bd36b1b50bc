import { expect, it } from '@jest/globals';
import type { StoredPaymentLine } from '../payment-records/payment-line.entity.js';
import { printedLine } from './invoice-lines.js';

const LINE = {
  kind: 'rate_limit',
  sku: 'rate-limit-month',
  quantity: 5,
  amountMicros: 31_000_000n,
  taxPpm: 0,
  startsAt: new Date('2026-11-15'),
  periodEnd: new Date('2026-12-01'),
  isChange: true,
} as StoredPaymentLine;

it.each([
  ['rate-limit-month', 'Rate-limit add-on'],
  ['domainer-all-month', 'Domainer All'],
  ['api-50K-month', 'API plan 50K'],
])('the invoice of an upgrade to %s names it, because its price is a difference', (sku, name) => {
  const textOf = (line: StoredPaymentLine) => printedLine(line).text;
  expect(textOf({ ...LINE, sku })).toBe(`Upgrade to ${name}, 2026-11-15 to 2026-12-01`);
  expect(textOf({ ...LINE, sku, isChange: false })).toBe(`${name}, 2026-11-15 to 2026-12-01`);
});
