import { expect, it } from '@jest/globals';
import { AvailabilityNames, BulkHosts, BulkNames } from '#libs/contracts';
import { faultsOf } from '#libs/platform';

it.each([
  ['nothing', {}, 'must be a list of up to 100 strings'],
  ['a string', { domainNames: 'registered.test' }, 'must be a list of up to 100 strings'],
  ['an empty list', { domainNames: [] }, 'must name at least one domain'],
  [
    'a list that is too long',
    { domainNames: Array.from({ length: 101 }, () => 'a.test') },
    'must contain no more than 100 elements',
  ],
])('a bulk request with %s is answered with the fault in its names', (_what, body, message) => {
  expect(faultsOf(BulkNames, body)).toEqual([{ field: 'domainNames', message }]);
});

it.each([
  [BulkHosts, 'domainNames'],
  [BulkHosts, 'ipAddresses'],
  [AvailabilityNames, 'domainNames'],
  [AvailabilityNames, 'tld'],
])('%p: null is rejected as a list', (type, member) => {
  expect(faultsOf(type, { [member]: null })).toMatchObject([{ field: member }]);
});
