import { expect, it } from '@jest/globals';
import { nearestName } from './nearest-name.js';

it.each([
  ['domainname', 'domainName'],
  ['domain_name', 'domainName'],
  ['domianName', 'domainName'],
  ['maxage', 'max_age'],
  ['ipp', undefined],
  ['elsewhere', undefined],
  ['d'.repeat(10_000), undefined],
])('the nearest name to %s is %s', (given, expected) => {
  expect(nearestName(given, ['ip', 'max_age', 'max_credits', 'domainName'])).toBe(expected);
});

it('a path with an extra slash leads to the path without it', () => {
  const paths = ['/v2.0/whois/live', '/v1.0/whois'];
  expect(nearestName('/v2.0/whois/live//', paths)).toBe('/v2.0/whois/live');
});
