import { describe, expect, it } from '@jest/globals';
import { isOfOtherSuffixes, isSmallPrint } from './small-print.js';

describe('small print', () => {
  it.each([
    'All rights reserved.',
    'Terms of Use',
    'Novaterra Privacy Policy',
    'Whois .NOVATERRA',
    'Copyright (c) 2031 Novaterra. All rights reserved.',
    'Last update of WHOIS database: 2031-05-06T07:08:09Z',
    'The data in this record is provided by Novaterra for informational purposes only, and Novaterra does not guarantee its accuracy.',
    'For more information on Whois status codes, please visit https://other.example/epp',
    'Unauthorised use of the data is prohibited.',
    'Access to the WHOIS service is rate limited.',
    'NOTE: This output has been filtered.',
    '',
  ])('is recognised regardless of the registry and the date: %j', (text) => {
    expect(isSmallPrint(text)).toBe(true);
  });

  it.each([
    'All rights reserved by the registrant of this name.',
    'All rights reserved. The name is frozen.',
    'The data in this record is not provided by Novaterra for informational purposes only.',
    'Last update of WHOIS database: never',
    'Queries left: 0',
    'Novaterra Registry Nowhere',
    'Lock: registry',
    'Type: Locked',
    'Whois Locked',
    'Taken for Novaterra',
    'Failure to Connect',
    'All rights reserved?',
    'All rights reserved ...',
    '...',
    'See https://other.example/domain/sample.test',
    'Access to the WHOIS service is not permitted.',
    'Access to the data is expressly prohibited.',
    'Your session has been filtered.',
    'All data is restricted to network administration.',
    'Domain names and personal data are not disclosed.',
    '2 of 3',
  ])('does not include other phrases: %j', (text) => {
    expect(isSmallPrint(text)).toBe(false);
  });

  it('is ignored if it names only other suffixes', () => {
    const text = 'The Registry database contains ONLY .ORG, .NET domains.';
    expect(isOfOtherSuffixes(text, 'sample.test')).toBe(true);
    expect(isOfOtherSuffixes(text, 'sample.net')).toBe(false);
    expect(isOfOtherSuffixes('Welcome to the .org whois server', 'sample.test')).toBe(false);
  });
});
