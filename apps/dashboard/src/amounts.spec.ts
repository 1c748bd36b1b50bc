import { expect, it, jest } from '@jest/globals';
import { grouped, money } from './amounts.js';

it('S104: the number format of a currency is created once, however many amounts a page shows', () => {
  const formats = jest.spyOn(Intl, 'NumberFormat');
  const formatted = jest.spyOn(Number.prototype, 'toLocaleString');
  const texts = Array.from({ length: 100 }, () => [money('1234567890000', 'EUR'), grouped(12_345)]);
  const counts = [formats.mock.calls.length, formatted.mock.calls.length];
  formats.mockRestore();
  formatted.mockRestore();
  expect(texts.at(-1)).toEqual(['€1,234,567.89', '12,345']);
  expect(counts).toEqual([1, 0]);
});
