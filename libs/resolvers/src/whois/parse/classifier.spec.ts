import { describe, expect, it } from '@jest/globals';
import type { Outcome } from '../../record.js';
import { parseWhois } from './parse-whois.js';

const SMALL_PRINT = `

% By asking you agree not to exceed the query limits. Access may be blocked if you do, and
% further queries may be refused; please try again later in that case. All rights reserved.
% This data may not be used where no match was found.

`;

function outcome(text: string): Outcome {
  return parseWhois(text, { domain: 'example.test', server: '', tld: 'test', role: 'registry' })
    .outcome;
}

describe('an answer that is a throttle', () => {
  it.each([
    'Query limit exceeded for 192.0.2.1',
    'You have exceeded your daily quota of lookups.',
    '% Too many requests from your network',
    '% Error: 55000000002 Connection refused; access control limit reached.',
    'The lookup quota for 192.0.2.7 has been exceeded\nand will be replenished in 50 seconds.',
    '%ERROR:201: access denied for 192.0.2.1',
    'whois.example: only 1 request per second allowed, try again later',
    'Please keep calm and wait a while: number of allowed queries exceeded.',
    '%% Too many requests...\n%%\n\n%% No entries found in the database.',
    'No match for this name. (Rate limit exceeded: answer may be wrong)',
    'Requests of this client are not permitted.',
    '-1: Still in grace period, wait 77 seconds',
    'Your address has been temporarily blocked\nDomain not found.',
    'Your IP address has been blacklisted: maximum number of queries reached.',
  ])('is throttled and never "not registered": %j', (text) => {
    expect(outcome(text)).toBe('throttled');
    expect(outcome(SMALL_PRINT + text)).toBe('throttled');
  });

  it.each([
    ['Limit exceeded, try again in 5 minutes', 300],
    ['Quota exceeded. Wait 30 seconds.', 30],
    ['Quota exceeded. Come back in 24 hours.', 3600],
    ['Quota exceeded.', undefined],
  ])('%j says when to come back, an hour at most', (text, seconds) => {
    const result = parseWhois(text, { domain: '', server: '', tld: 'test', role: 'registry' });
    expect(result).toMatchObject({ outcome: 'throttled' });
    expect(result.retryAfterSeconds).toBe(seconds);
  });
});

describe('an answer that says nobody holds the name', () => {
  it.each([
    'No match for "EXAMPLE.TEST".',
    'NOT FOUND',
    'Domain not found.',
    '% No entries found for the selected source(s).',
    'Domain Name: example.test\nDomain Status: No Object Found',
    'Domain:             example.test\nStatus:             AVAILABLE',
    'Domain: example.test\nStatus: free',
    'example.test is free',
    '>>> Domain example.test is available for registration',
    'The queried object does not exist: no matching objects found',
    'query : example.test\n\n상기 도메인이름은 등록되어 있지 않습니다.',
    'El dominio no se encuentra registrado',
    'No domain records were found to match "example.test"',
    'Nincs találat / No match',
    'query_status: 220 Available',
    'We do not have an entry in our database matching your query.',
    '% Unfortunately, No Results Were Found',
    'NO OBJECT FOUND!',
    'The domain has not been registered.',
    '[ Notice: use of this database is restricted to administration. ]\n\nNo match!!',
  ])('is not registered: %j', (text) => {
    expect(outcome(text)).toBe('not_registered');
    expect(outcome(SMALL_PRINT + text)).toBe('not_registered');
    expect(outcome(text + SMALL_PRINT)).toBe('not_registered');
  });
});

describe('an answer that keeps the name back', () => {
  it.each([
    ['Reserved by the registry', 'reserved'],
    ['Domain: example.test\nStatus: RESERVED', 'reserved'],
    ['This name is a premium domain and may be bought from its registry', 'premium'],
    ['This name is not available for registration: the domain is blocked', 'blocked'],
    ['Domain:\texample.test\nStatus:\tNOT ALLOWED', 'blocked'],
  ])('is restricted with its reason: %j', (text, restriction) => {
    const result = parseWhois(text, { domain: '', server: '', tld: 'test', role: 'registry' });
    expect(result).toMatchObject({ outcome: 'restricted', record: { restriction } });
  });

  it('a reserved name with a holder is a registration', () => {
    const text = 'Domain Name: example.test\nStatus: RESERVED\nName Server: ns1.example.net';
    expect(outcome(text)).toBe('delivered');
  });
});

describe('an answer that is neither', () => {
  it.each([
    '',
    '   \n',
    'Error: internal server error',
    '% ERROR: syntax error',
    'hello',
    '<html>',
    'HTTP/1.1 404 Not Found',
    '<html><body><h1>404 Not Found</h1></body></html>',
    'Whois server not found',
    'Database error: object not found',
  ])('is a failure to parse and costs nothing: %j', (text) => {
    expect(outcome(text)).toBe('parse_failed');
  });

  it('small print alone says nothing about a name', () => {
    expect(outcome(SMALL_PRINT)).not.toBe('delivered');
  });
});
