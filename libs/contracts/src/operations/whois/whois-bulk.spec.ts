import { expect, it } from '@jest/globals';
import { AvailabilityNames, BulkHosts, BulkNames } from '#libs/contracts';
import { faultsOf } from '#libs/platform';

it.each([
  ['nothing', {}, 'must be a list of up to 100 strings'],
  ['a text', { domainNames: 'registered.test' }, 'must be a list of up to 100 strings'],
  ['an empty list', { domainNames: [] }, 'must name at least one domain'],
  [
    'too long a list',
    { domainNames: Array.from({ length: 101 }, () => 'a.test') },
    'must contain no more than 100 elements',
  ],
])('a bulk request with %s is told what is wrong with its names', (_what, body, message) => {
  expect(faultsOf(BulkNames, body)).toEqual([{ field: 'domainNames', message }]);
});

it.each([
  [BulkHosts, 'domainNames'],
  [BulkHosts, 'ipAddresses'],
  [AvailabilityNames, 'domainNames'],
  [AvailabilityNames, 'tld'],
])('%p: a list that is null is no list', (type, member) => {
  expect(faultsOf(type, { [member]: null })).toMatchObject([{ field: member }]);
});
