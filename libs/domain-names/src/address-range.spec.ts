import { expect, it } from '@jest/globals';
import { blocksOfRange } from './address-range.js';

it('a range is converted to its blocks', () => {
  expect(blocksOfRange('192.0.2.1', '192.0.2.6')).toEqual([
    '192.0.2.1/32',
    '192.0.2.2/31',
    '192.0.2.4/31',
    '192.0.2.6/32',
  ]);
  expect(blocksOfRange('::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff')).toEqual(['::/0']);
  expect(blocksOfRange('192.0.2.9', '192.0.2.1')).toEqual([]);
});
