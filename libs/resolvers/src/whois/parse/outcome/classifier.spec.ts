import { describe, expect, it } from '@jest/globals';
import type { LookupOutcome } from '../../../record.js';
import { parseWhois } from '../parse-whois.js';

const SMALL_PRINT = `

% Queries to the Whois services are throttled. If too many queries are received from a single IP address
% within a specified time, the service will begin to reject further queries for a period of time to prevent
% disruption of Whois service access. In some limited cases, domains that might appear as available in whois
% might not actually be available as they could be already registered and the whois not yet updated and/or
% they could be part of the Restricted list. All rights reserved.

`;

const RECORD = [
  'Domain Name: example.test',
  'Creation Date: 2020-02-03T04:05:06Z',
  'Registrar: Sample Registrar',
  'Name Server: ns1.example.net',
  '',
].join('\n');

function outcome(text: string): LookupOutcome {
  return parseWhois(text, { domain: 'example.test', server: '', tld: 'test', role: 'registry' })
    .outcome;
}

describe('an answer that states a rate limit', () => {
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
    'WHOIS server busy',
    'Query interval is too short. Limit: 1 query per second',
    'Connection blocked: too many concurrent connections',
    'Abuse detected. Access denied.',
    'Your request is being rate limited',
  ])('is throttled, never "not registered": %j', (text) => {
    expect(outcome(text)).toBe('throttled');
    expect(outcome(SMALL_PRINT + text)).toBe('throttled');
  });

  it.each(['throttled.zz', 'allowance.zz', 'denied.zz', 'xn--b1afbao3aki8e3a.zz'])(
    'is not recognised merely because it repeats a name, such as %s',
    (domain) => {
      const name = domain.replace('xn--b1afbao3aki8e3a', 'превышение');
      const text = `${name}\n\n${name} has no entry here.\n`;
      const read = parseWhois(text, { domain, server: '', tld: 'zz', role: 'registry' });
      expect(read.outcome).toBe('parse_failed');
    },
  );

  it.each([
    ['Limit exceeded, try again in 5 minutes', 300],
    ['Quota exceeded. Wait 30 seconds.', 30],
    ['Quota exceeded. Come back in 24 hours.', 3600],
    ['Quota exceeded.', undefined],
  ])('the wait that %j states is an hour at most', (text, seconds) => {
    const result = parseWhois(text, { domain: '', server: '', tld: 'test', role: 'registry' });
    expect(result).toMatchObject({ outcome: 'throttled' });
    expect(result.retryAfterSeconds).toBe(seconds);
  });
});

describe('an answer that states that the name is not registered', () => {
  it.each([
    ['test', 'No match for "EXAMPLE.TEST".'],
    ['test', 'NOT FOUND'],
    ['test', 'Domain not found.'],
    ['ru', '% No entries found for the selected source(s).'],
    ['test', 'Domain Name: example.test\nDomain Status: No Object Found'],
    ['it', 'Domain:             example.it\nStatus:             AVAILABLE'],
    ['de', 'Domain: example.de\nStatus: free'],
    ['nl', 'example.nl is free'],
    ['zz', 'Domain: example.zz is available'],
    ['zz', 'Domain Name: example.zz\nDomain not found.'],
    ['test', '>>> Domain example.test is available for registration'],
    ['test', 'The queried object does not exist: no matching objects found'],
    ['kr', 'query : example.kr\n\n상기 도메인이름은 등록되어 있지 않습니다.'],
    ['ar', 'El dominio no se encuentra registrado en NIC Argentina'],
    ['coop', 'No domain records were found to match "example.coop"'],
    ['hu', 'Nincs találat / No match'],
    ['nz', 'domain_name: example.nz\nquery_status: 220 Available'],
    ['ch', 'We do not have an entry in our database matching your query.'],
    ['co.pl', '% Unfortunately, No Results Were Found'],
    ['tg', 'NO OBJECT FOUND!\nobject:.............example.tg'],
    ['hk', 'The domain has not been registered.'],
    ['jp', '[ JPRS database provides information on network administration. ]\n\nNo match!!'],
    ['to', 'Tonic whoisd V1.1\nNo match for example'],
    ['sn', 'exampleNOT FOUND'],
  ])('is "not registered" at .%s, alone and next to small print: %j', (tld, text) => {
    const read = (answer: string) =>
      parseWhois(answer, { domain: `example.${tld}`, server: '', tld, role: 'registry' }).outcome;
    expect(read(text)).toBe('not_registered');
    expect(read(SMALL_PRINT + text)).toBe('not_registered');
    expect(read(text + SMALL_PRINT)).toBe('not_registered');
  });

  it('is accepted from an unknown server if it names the domain, or has a registry’s frame', () => {
    const read = (answer: string) =>
      parseWhois(answer, { domain: 'example.zz', server: '', tld: 'zz', role: 'registry' }).outcome;
    expect(read('Domain example.zz not found')).toBe('not_registered');
    expect(read('Domain not found')).toBe('parse_failed');
    expect(read(`Domain not found${SMALL_PRINT}`)).toBe('not_registered');
  });
});

describe('an answer that reserves the name', () => {
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

describe('an answer without a record or a statement', () => {
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
  ])('is a failure to parse: %j', (text) => {
    expect(outcome(text)).toBe('parse_failed');
  });

  it('small print about limits, alone, counts as a throttle', () => {
    expect(outcome(SMALL_PRINT)).toBe('throttled');
  });

  it.each([
    'Domain: example.test\nStatus: purple',
    'Domain Name: example.test\nState: 17',
    'Domain: example.test\nStatus: invalid',
  ])('an answer with an unknown status and nothing else is a failure to parse: %j', (text) => {
    expect(outcome(text)).toBe('parse_failed');
  });

  it('an active name without any other data is a registration', () => {
    expect(outcome('Domain: example.test\nStatus: ok')).toBe('delivered');
    expect(outcome('Domain: example.test\nStatus: Delegated')).toBe('delivered');
  });
});

describe('"available" is never concluded', () => {
  it.each([
    '% By submitting a query you agree not to use the information made\n% available to:\n% - allow spam',
    'The terms are\navailable at: http://www.registry.test/terms',
    'Available on web at http://whois.registry.test/',
    'Available: No',
    'Domain available: no',
    'Not available',
    'WHOIS information is available',
    'The WHOIS service is available at http://whois.registry.test/',
    'Registration is free',
    'Free text search is not available',
    '% Persons may learn whether a domain name that they want to have registered is still\n% available\n% or not, and information about the holders of domain names that are registered.',
  ])('from small print: %j', (text) => {
    expect(['parse_failed', 'restricted']).toContain(outcome(text));
  });

  it.each([
    'Domain Name: example.test  No match',
    'DOMAIN NAME: EXAMPLE.TEST NOT FOUND',
    'Domain : example.test<br>Domain not found.',
    'domain: example.test\vstatus: AVAILABLE',
    'Nome de domínio / Domain Name: example.test  No match for "example.test".',
    'Domain Name: example.test\tAvailable\tDomain not found.',
  ])('from a record that is cut off after the line with the domain: %j', (line) => {
    expect(outcome(line)).toBe('parse_failed');
    expect(outcome(`${SMALL_PRINT}${line}\nRegis`)).not.toBe('not_registered');
  });

  it('from small print that ends within a sentence', () => {
    expect(outcome('% This is the WHOIS server of .test.\n% Available ')).toBe('parse_failed');
  });

  it.each([
    '404 Not Found',
    'Not Found on this server',
    'The requested URL was not found on this server.',
    'TLD not found',
    'TLD does not exist',
    'This TLD is not registered here',
    'Unknown domain suffix',
    'Your IP is not registered',
    'Your IP address is not registered with us',
    'Your account was not found',
    'You are not registered',
    'You are not in our database',
    'Client is not registered for this service',
    'We cannot find you in our database',
    'Database not found',
    'Whois database not found',
    'Registry not found',
    'Object not found: whois database',
    'Handle not found',
    'License not found',
    'Domain parameter not found',
    'No match for nameserver ns1.example.net',
    'No match for contact AB1',
    'No entries found for IP 192.0.2.1',
    'No such command',
    'No such file or directory',
    'No such server',
    'Could not find server',
    'query not found',
    'No data available',
    'No results: server overloaded',
    'not known',
    'No match for other.test',
  ])('from a refusal: %j', (text) => {
    expect(outcome(text)).toBe('parse_failed');
    expect(outcome(SMALL_PRINT + text)).not.toBe('not_registered');
  });

  it('from a rate limit that also mentions the name', () => {
    const text =
      '% Query rate limit exceeded. Reduced information.\n\n% No match for domain "example.test"';
    expect(outcome(text)).toBe('throttled');
  });

  it.each([
    ['<br>', 'Sample <br>Domain Status: available<br>Domain Name: example.test'],
    ['a bare CR', 'Sample \rDomain Status: available\rStatus: free\rNo match'],
    ['a line separator', 'Sample \u2028Status: free\u2028No match for example.test'],
    ['a form feed', 'Sample \fStatus: free\f\vNo match'],
    ['its own words', 'No match for "example.test".'],
  ])('from an organisation’s name with such words: %s', (_, organization) => {
    for (const before of [RECORD, 'Domain Name: example.test\n']) {
      const text = `${before}Registrant Organization: ${organization}\n`;
      expect(outcome(text)).not.toBe('not_registered');
    }
  });

  it.each([
    'Domain Status: available',
    'Status: free',
    '\nNo match for "example.test".\n',
    '\nperson: Ada Example\nnic-hdl: AE1-TEST\nstatus: free\n',
  ])('if there is a record, whatever else the answer contains: %j', (line) => {
    expect(outcome(`${RECORD}${line}\n`)).toBe('delivered');
    expect(outcome(`${line}\n${RECORD}`)).toBe('delivered');
  });

  it('from a line in the object of a person without a domain', () => {
    expect(outcome('person: Ada Example\nnic-hdl: AE1-TEST\nstatus: free')).not.toBe(
      'not_registered',
    );
    expect(outcome('e-mail: ada@example.test\nRegistry Domain ID: D1-TEST\nNot found')).toBe(
      'parse_failed',
    );
  });
});

describe('phrases of one server', () => {
  it('count next to an echo of the request, whatever the name', () => {
    for (const domain of ['quiet-garden.fr', 'zx81.fr']) {
      const text = `%% This is the AFNIC Whois server.\n%% [192.0.2.1 REQUEST] >> ${domain}\n\n%% No entries found in the AFNIC Database.\n`;
      const question = { domain, server: 'whois.nic.fr', tld: 'fr', role: 'registry' } as const;
      expect(parseWhois(text, question).outcome).toBe('not_registered');
      expect(parseWhois(text, { ...question, domain: 'other.fr' }).outcome).not.toBe(
        'not_registered',
      );
    }
  });

  it('count next to the terms that the registry publishes', () => {
    const terms = [
      '% By looking up information in the domain registration directory',
      '% service, you confirm that you accept the terms and conditions of the',
      '% service:',
      '% https://www.norid.no/en/domeneoppslag/vilkar/',
      '%',
      '% Norid AS holds the copyright to the lookup service, content,',
      '% layout and the underlying collections of information used in the',
      '% service (cf. the Act on Intellectual Property of May 2, 1961, No.',
      '% 2). Any commercial use of information from the service, including',
      '% targeted marketing, is prohibited.',
    ].join('\n');
    expect(asked('no', `${terms}\n\n% No match\n`).outcome).toBe('not_registered');
    expect(asked('no', `${terms}\n% The name is frozen.\n\n% No match\n`).outcome).toBe(
      'parse_failed',
    );
  });

  const asked = (tld: string, text: string) =>
    parseWhois(text, { domain: `example.${tld}`, server: '', tld, role: 'registry' });

  it.each([
    ['lk', 'This Domain is not available in our whois database'],
    ['tk', 'Invalid query or domain name not known in Dot TK Domain Registry'],
    [
      'ie',
      '% Not Registered - The domain you have requested (example.ie) is not a registered .ie domain.',
    ],
  ])(
    'of .%s state with %j that a name is not registered, but not at another server',
    (tld, text) => {
      expect(asked(tld, text).outcome).toBe('not_registered');
      expect(asked('test', text).outcome).not.toBe('not_registered');
    },
  );

  it.each(['sl', 'ng'])('do not include one that may also mean a private name of .%s', (tld) => {
    const text = 'Domain not found, marked private, or error in your query.';
    expect(asked(tld, text).outcome).toBe('parse_failed');
  });

  it.each([
    ['be', 'Domain:\texample.be\nStatus:\tNOT AVAILABLE', 'blocked'],
    ['eu', 'Domain: example.eu\nStatus: APPLICATION PENDING', 'reserved'],
    ['eu', 'Domain: example.eu\nStatus: RESERVED', 'reserved'],
    ['lu', 'domainname: example.lu\ndomaintype: RESERVED', 'reserved'],
    ['nl', 'example.nl is excluded', 'blocked'],
    ['ca', 'Domain name: example.ca\nDomain status: unavailable', 'blocked'],
    ['jp', '[Domain Name]   EXAMPLE.JP\n[Status]        Reserved', 'reserved'],
    ['aero', 'Name is restricted from registration', 'blocked'],
    ['test', 'Domain name is prohibited', 'blocked'],
    ['test', 'Registration of this name is prohibited', 'blocked'],
    ['test', 'Domain application pending', 'reserved'],
  ])('a name under .%s is restricted: %j', (tld, text, restriction) => {
    expect(asked(tld, text)).toMatchObject({ outcome: 'restricted', record: { restriction } });
  });
});
