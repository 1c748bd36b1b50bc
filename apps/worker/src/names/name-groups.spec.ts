import { afterAll, expect, it } from '@jest/globals';
import { estimatesOf, usePace } from './name-groups.js';
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

afterAll(() => usePace(undefined));

it('names wait according to the rate that the operator has set, unless their upstream publishes one', () => {
  usePace(100);
  const groups = [
    { tld: 'example', upstream: 'whois.example', names: 1_000 },
    { tld: 'com', upstream: 'rdap.verisign.com', names: 1_000 },
    { tld: 'ie', upstream: 'whois.weare.ie', names: 80 },
  ];
  expect(estimatesOf(groups, 'whois').map(({ tld, seconds }) => [tld, seconds])).toEqual([
    ['example', 10],
    ['com', 10],
    ['ie', 86_400],
  ]);
});
