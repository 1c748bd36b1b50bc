import { expect, it } from '@jest/globals';
import { RecentUse } from './recent-use.js';

it('recent use adds up, and counts half after five seconds', () => {
  const use = new RecentUse();
  use.add(3, 1_000);
  use.add(5, 1_000);
  expect([use.at(1_000), use.at(6_000), use.at(16_000)]).toEqual([8, 4, 1]);
  use.add(1, 6_000);
  expect(use.at(11_000)).toBe(2.5);
});
