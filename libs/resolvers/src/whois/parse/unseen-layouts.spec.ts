import { describe, expect, it } from '@jest/globals';
import type { RegistrationRecord } from '../../record.js';
import { parseWhois } from './parse-whois.js';

function read(text: string, domain = 'example.test'): RegistrationRecord {
  const result = parseWhois(text, { domain, server: '', tld: 'test', role: 'registry' });
  expect(result.outcome).toBe('delivered');
  return result.record as RegistrationRecord;
}

describe('the parser reads an unknown layout', () => {
  it('keys and values may be separated by a tab', () => {
    const record = read(
      'Domain name\texample.test\n\nRegistrar\tSample Names AG\nSampleweg 1\nCH-8000 Zürich\n\nDNSSEC\tno\n\n' +
        'Name servers\nns1.example.net\t192.0.2.1\nns1.example.net\t2001:db8::1\nns2.example.net\n\n' +
        'First registration date\t31 May 1999\n',
    );
    expect(record).toMatchObject({
      registrar: { name: 'Sample Names AG' },
      nameServers: ['ns1.example.net', 'ns2.example.net'],
      created: { iso: '1999-05-31' },
    });
  });

  it('keys and values may be in columns of spaces, if they name the requested domain', () => {
    const text =
      'Domain-name        example.test\nAdmin-name         Ada Example\nValid-date         2027-01-31\n' +
      'dns_name           ns1.example.net\n';
    expect(read(text)).toMatchObject({
      expires: { iso: '2027-01-31' },
      nameServers: ['ns1.example.net'],
    });
    const other = { domain: 'other.test', server: '', tld: 'test', role: 'registry' } as const;
    expect(parseWhois(text, other)).toEqual({ outcome: 'parse_failed' });
  });

  it('a name may be printed in several scripts, each with its own A-label', () => {
    const record = read(
      'Domain Name: 例子.中国\nPuny Name: xn--fsqu00a.xn--fiqs8s\nDomain Name: 例子.中國\n' +
        'Puny Name: xn--fsqu00a.xn--fiqz9s\nSponsoring Registrar: Sample Names\n' +
        'Name Server: ns1.example.net\nRegistration Time: 2004-08-08 22:27:10\n',
      'xn--fsqu00a.xn--fiqs8s',
    );
    expect(record).toMatchObject({
      domain: 'xn--fsqu00a.xn--fiqs8s',
      registrar: { name: 'Sample Names' },
      nameServers: ['ns1.example.net'],
    });
  });

  it('the record of the top-level domain may precede the record of the name', () => {
    const record = read(
      'domain:       TEST\norganisation: Sample Registry\nnserver:      ns.nic.test 192.0.2.53\n' +
        'created:      2015-06-25\nchanged:      2023-09-12\n\n# whois.nic.test\n\n' +
        'Domain Name: example.test\nRegistrar: Sample Names\nCreation Date: 2020-01-31T00:00:00Z\n' +
        'Name Server: ns1.example.net\n',
    );
    expect(record).toMatchObject({
      domain: 'example.test',
      created: { iso: '2020-01-31T00:00:00Z' },
      nameServers: ['ns1.example.net'],
    });
    expect(record.updated).toBeUndefined();
  });

  it('nothing in the record of another name belongs to the requested name', () => {
    const record = read(
      'Domain Name: example.test.other.test\nRegistry Domain ID: 1_OTHER\nDNSSEC: signedDelegation\n' +
        'DNSSEC DS Data: 1 8 2 AA\nCreation Date: REDACTED\n\n' +
        'Domain Name: example.test\nRegistrar: Sample Names\nName Server: ns1.example.net\n',
    );
    expect(record).toEqual({
      domain: 'example.test',
      registrar: { name: 'Sample Names' },
      nameServers: ['ns1.example.net'],
      statuses: [],
      contacts: {},
      redactions: [],
      privacyService: false,
    });
  });

  it('a registrar’s page and mailbox may follow its name, which may begin with a dot', () => {
    const record = read(
      'Domain name.........: example.test\nCreated.............: 2020-01-31\nRegistrar:\nSample Names\n' +
        '1 Sample Street\nsupport@registrar.example\nhttps://www.registrar.example\n',
    );
    expect(record.registrar).toMatchObject({
      name: 'Sample Names',
      url: 'https://www.registrar.example',
      email: 'support@registrar.example',
    });
    expect(read('Domain: example.test\nRegistrar: .EXAMPLE NAMES\n').registrar?.name).toBe(
      '.EXAMPLE NAMES',
    );
  });

  const NOTICES = [
    'Queries are limited to 30 per hour. You have 12 left.',
    'If a name is not found it may still be reserved by the council of ministers.',
    'No match does not mean that a name is available.',
    'On Sunday you may see "not found" while the registry is down for maintenance.',
    'Your query limit has not been exceeded.',
    '** Names listed as AVAILABLE may be bought at the desk in room 4 **',
    'Temporarily unavailable data is shown as "n/a".',
    'Limit: 100/day\nUsed: 3\nServer: whois-3\nTime: 0.02 s',
    'Domain not found? Try the search at https://nic.test/',
    '本服务器仅供查询,如域名未注册,请联系注册商。',
    '<b>Welcome</b> to the registry of TEST &mdash; access denied to robots',
    'ERROR CODES: 101 not found, 102 invalid, 103 blocked',
    'Status codes: active = registered; free = not registered; blocked = disputed',
    'Registrant contact data is restricted; access requires a login.',
  ];
  it.each([
    'Domain Name: example.test\nRegistrar: Sample Names\nCreation Date: 2020-01-31\nName Server: ns1.example.net',
    'domain:   example.test\nstatus:   active\nregistrant:   Sample Shop\ncreated:  2020-01-31\nnserver:  ns1.example.net',
    'Domain example.test\n   Holder: Sample Shop\n   Registered: 31 January 2020\n   Servers:\n      ns1.example.net',
  ])('a record next to unusual notices is recognised as a record: %j', (record) => {
    for (const notice of NOTICES) {
      for (const beside of [notice, notice.replace(/^/gm, '% ')]) {
        for (const gap of ['\n', '\n\n']) {
          for (const text of [beside + gap + record, record + gap + beside]) {
            const { nameServers, created } = read(`${text}\n`);
            expect([notice, nameServers, created?.iso]).toEqual([
              notice,
              ['ns1.example.net'],
              '2020-01-31',
            ]);
          }
        }
      }
    }
  });

  it.each([
    'example.test is unclaimed',
    'Nobody holds example.test',
    'example.test: 0 rows',
    'The name example.test has no holder.\n\n% Terms of use: https://nic.test/terms',
    ...NOTICES.map((notice) => `${notice}\nNo match for example.test`),
  ])(
    'an absence in an unknown form, or next to text that is not understood, proves nothing: %j',
    (text) => {
      const context = {
        domain: 'example.test',
        server: '',
        tld: 'test',
        role: 'registry',
      } as const;
      expect(['parse_failed', 'throttled', 'restricted']).toContain(
        parseWhois(`${text}\n`, context).outcome,
      );
    },
  );

  it.each([
    ['RESTRICTED - Restricted domain name', 'blocked'],
    ['Sorry, the domain you requested is in the reserved list.', 'reserved'],
    ['Error message: The name requested has usage restrictions applied to it.', 'blocked'],
    ['This name is not available for registration.', 'blocked'],
    ['Registration of this name is not permitted: registration not permitted', 'blocked'],
    ['Domain is on the list of reserved names.', 'reserved'],
  ])('%s: the name is restricted', (text, restriction) => {
    const context = { domain: 'example.test', server: '', tld: 'test', role: 'registry' } as const;
    expect(parseWhois(`${text}\n`, context)).toMatchObject({
      outcome: 'restricted',
      record: { restriction },
    });
  });

  it('.ie: an application with an end date is not a registration', () => {
    const text =
      'domain:      example.ie\nexpiry:      17 April 2026\n\n% Application Pending - There is an application for\n' +
      '% the name. It would expire on the above date.\n';
    const context = { domain: 'example.ie', server: '', tld: 'ie', role: 'registry' } as const;
    expect(parseWhois(text, context)).toMatchObject({
      outcome: 'restricted',
      record: { restriction: 'reserved' },
    });
    expect(parseWhois(text, { ...context, tld: 'test' }).outcome).toBe('delivered');
  });
});
