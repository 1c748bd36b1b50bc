import { expect, it } from '@jest/globals';
import { estimatesOf } from './name-groups.js';
import { NOBODY } from './read-name.js';

it('names wait according to the rate of their upstream, and names without an upstream do not wait', () => {
  const groups = [
    { tld: 'gr', upstream: NOBODY, names: 50_000 },
    { tld: 'example', upstream: 'whois.example', names: 1_000 },
  ];
  expect(estimatesOf(groups, 'whois').map(({ tld, seconds }) => [tld, seconds])).toEqual([
    ['gr', 21],
    ['example', 1_000],
  ]);
  expect(estimatesOf(groups, 'dns').map(({ seconds }) => seconds)).toEqual([11, 11]);
});
