import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseMetered, parseWhois, type ParseContext, type ParseResult } from './parse-whois.js';
import { WorkMeter } from './reading/work-meter.js';

const COM: ParseContext = {
  domain: 'example-holdings.com',
  server: 'whois.registrar.example',
  tld: 'com',
  role: 'registrar',
};

function parse(text: string, context: Partial<ParseContext> = {}): ParseResult {
  return parseWhois(text, { ...COM, ...context });
}

const THICK = `
Domain Name: EXAMPLE-HOLDINGS.COM
Registry Domain ID: 100200300_DOMAIN_COM-VRSN
Registrar WHOIS Server: whois.registrar.example
Registrar URL: https://www.registrar.example
Updated Date: 2025-03-04T05:06:07Z
Creation Date: 2001-02-03T04:05:06Z
Registrar Registration Expiration Date: 2027-02-03T04:05:06Z
Registrar: Sample Registrar, Inc.
Registrar IANA ID: 9998
Registrar Abuse Contact Email: abuse@registrar.example
Registrar Abuse Contact Phone: +1.2025550100
Reseller:
Domain Status: clientTransferProhibited https://icann.org/epp#clientTransferProhibited
Domain Status: clientDeleteProhibited https://icann.org/epp#clientDeleteProhibited
Registry Registrant ID: CR-1
Registrant Name: Ada Example
Registrant Organization: Example Holdings
Registrant Street: 1 Sample Street
Registrant Street: Floor 2
Registrant City: Springfield
Registrant State/Province: IL
Registrant Postal Code: 62701
Registrant Country: US
Registrant Phone: +1.2175550100
Registrant Phone Ext: 12
Registrant Fax:
Registrant Email: ada@example-holdings.com
Admin Name: REDACTED FOR PRIVACY
Admin Organization: Example Holdings
Admin Email: Please query the RDDS service of the Registrar of Record
Tech Name: Not Disclosed
Name Server: NS1.EXAMPLE.NET
Name Server: ns2.example.net.
DNSSEC: signedDelegation
DNSSEC DS Data: 12345 13 2 ABCDEF
URL of the ICANN Whois Inaccuracy Complaint Form: https://www.icann.org/wicf/
>>> Last update of WHOIS database: 2025-06-01T00:00:00Z <<<

The registration data is provided as is. Queries that exceed the limit set for this
service may be blocked; please try again later if that happens to you.
`;

describe('the layout that ICANN prescribes', () => {
  it('every field is read into its member of the record', () => {
    const { outcome, record } = parse(THICK);
    expect(outcome).toBe('delivered');
    expect(record).toMatchObject({
      domain: 'example-holdings.com',
      handle: '100200300_DOMAIN_COM-VRSN',
      created: { iso: '2001-02-03T04:05:06Z', precision: 'second' },
      updated: { iso: '2025-03-04T05:06:07Z' },
      expires: { iso: '2027-02-03T04:05:06Z', original: '2027-02-03T04:05:06Z' },
      nameServers: ['ns1.example.net', 'ns2.example.net'],
      statuses: ['clientTransferProhibited', 'clientDeleteProhibited'],
      registrar: {
        name: 'Sample Registrar, Inc.',
        ianaId: '9998',
        url: 'https://www.registrar.example',
        whoisServer: 'whois.registrar.example',
      },
      dnssec: { signed: true, ds: ['12345 13 2 ABCDEF'] },
      referral: { whoisServer: 'whois.registrar.example' },
      privacyService: false,
    });
    expect(record?.contacts.registrant).toEqual({
      handle: 'CR-1',
      name: 'Ada Example',
      organization: 'Example Holdings',
      street: '1 Sample Street\nFloor 2',
      city: 'Springfield',
      state: 'IL',
      postalCode: '62701',
      countryCode: 'US',
      countryName: 'United States',
      phone: '+1.2175550100',
      email: 'ada@example-holdings.com',
    });
    expect(record?.contacts.abuse).toEqual({
      email: 'abuse@registrar.example',
      phone: '+1.2025550100',
    });
  });

  it('a placeholder is a redaction and not a value', () => {
    const { record } = parse(THICK);
    expect(record?.contacts.administrative).toEqual({ organization: 'Example Holdings' });
    expect(record?.contacts.technical).toBeUndefined();
    expect(record?.redactions).toEqual([
      { path: 'contacts.administrative.name', basis: 'text' },
      { path: 'contacts.administrative.email', basis: 'text' },
      { path: 'contacts.technical.name', basis: 'text' },
    ]);
  });

  it.each([
    'REDACTED FOR PRIVACY',
    'Data Protected',
    'Not Disclosed',
    'Statutory Masking Enabled',
    'GDPR Masked',
    'Hidden upon user request',
    'Redacted | EU Data Subject',
  ])('"%s" is withheld, but not a privacy service', (text) => {
    const { record } = parse(
      `Domain Name: example.org\nRegistrant Name: ${text}\nName Server: ns1.example.net`,
    );
    expect(record?.contacts.registrant).toBeUndefined();
    expect(record?.redactions).toEqual([{ path: 'contacts.registrant.name', basis: 'text' }]);
    expect(record?.privacyService).toBe(false);
  });

  it.each(['Domains By Proxy, LLC', 'WhoisGuard, Inc.', 'Contact Privacy Inc. Customer 012345'])(
    '"%s" is a privacy service, which is published and not withheld',
    (text) => {
      const { record } = parse(`Domain Name: example.org\nRegistrant Organization: ${text}`);
      expect(record?.contacts.registrant?.organization).toBe(text);
      expect(record?.privacyService).toBe(true);
      expect(record?.redactions).toEqual([]);
    },
  );

  it('data of other names with the same beginning, which some servers list, is not added', () => {
    const { record } = parse(`
   Domain Name: EXAMPLE-HOLDINGS.COM.HIJACK.EXAMPLE
   Registrar: OTHER
   Name Server: NS1.HIJACK.EXAMPLE

   Domain Name: EXAMPLE-HOLDINGS.COM
   Registrar: SAMPLE REGISTRAR
   Whois Server: whois.registrar.example
   Name Server: NS1.EXAMPLE.NET
   Status: ok
   Creation Date: 03-feb-2001

   Domain Name: EXAMPLE-HOLDINGS.COM.LATER.EXAMPLE
   Name Server: NS1.LATER.EXAMPLE
`);
    expect(record).toMatchObject({
      domain: 'example-holdings.com',
      nameServers: ['ns1.example.net'],
      registrar: { name: 'SAMPLE REGISTRAR' },
      created: { iso: '2001-02-03', precision: 'day' },
    });
  });

  it('IANA’s referral names the next server, not a registrar', () => {
    const { record } = parse(
      '% IANA WHOIS server\n\nrefer:        whois.nic.example\n\ndomain:       EXAMPLE\n\norganisation: Example Registry\n\nwhois:        whois.nic.example\n\nstatus:       ACTIVE\n',
      { domain: 'example', server: 'whois.iana.org', tld: 'example', role: 'registry' },
    );
    expect(record?.referral).toEqual({ whoisServer: 'whois.nic.example' });
    expect(record?.registrar).toBeUndefined();
  });
});

// Not the unit 'binary', which takes 140 MB for a table of all characters.
const character = fc.nat(0x10ffff).map((point) => String.fromCodePoint(point));

describe('hostile answers', () => {
  it('never make the parser throw', () => {
    const piece = fc.oneof(
      fc.string({ unit: character }),
      fc.constantFrom(
        'Domain Name:',
        'Registrant:',
        ' ',
        '\n',
        '\n\n',
        '\t',
        '[',
        ']',
        '%',
        ':',
        '..',
        'nic-hdl:',
        'contact:',
        'Name Server: ',
        '2025-02-30',
        '01/02/03',
        '>>>',
        '@',
        '(',
        ')',
        'Status: ',
        'NS',
      ),
    );
    const tlds = fc.constantFrom(
      'com',
      'uk',
      'jp',
      'fr',
      'sk',
      'my',
      'it',
      'br',
      'co.uk',
      '',
      '.',
      'ü',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), tlds, (pieces, tld) => {
        const result = parse(pieces.join(''), { tld, role: 'registry', domain: '' });
        expect(result.outcome).toMatch(
          /^(delivered|not_registered|restricted|throttled|parse_failed)$/,
        );
      }),
      { numRuns: 500, seed: 20_261_122 },
    );
  });

  it('S64: a hostile answer that is twice as long causes at most twice the work (500 answers)', () => {
    const seeds = [
      'Domain Name: example.com\n',
      'Registrant:\n x\n\n',
      'nic-hdl: A\nperson: x\n\n',
      '[a] ',
      ' ',
      '\t',
      ':',
      '.',
      '(',
      'a b c d ',
      'Name Server: ns1.example.com\n',
      'Status: a,b,c,d\n',
      'Creation Date: 1/1/1 1/1/1\n',
      'registrant registrant registrant name: x\n',
      'a/b/c/d/e/f: \n',
      'x@y.z ',
      '<br>',
      '\r\n',
      '%% no match\n',
      '-',
      '\u0301',
      'Registrar:\n',
      '>>> ',
      'ü: ü\n',
      'https://',
      '"',
    ];
    for (let index = 0; index < 500; index += 1) {
      const unit = seeds[index % seeds.length] + seeds[(index * 7 + 3) % seeds.length];
      const text = unit.repeat(10 + (index >> 2));
      const [once, twice] = [steps(text), steps(text + text)];
      expect(twice).toBeLessThanOrEqual(2 * once + 1_000);
    }
    expect(steps('Domain Name: x.com\n'.repeat(13_797))).toBeLessThan(4 * 256 * 1024);
  });

  it('S67: bidirectional controls, control characters and lone surrogates do not reach a value', () => {
    const { record } = parse(
      'Domain Name: example.com\r\nRegistrant Name: A\u202Eda\u2066 \u0000Ex\u0007ample\ud800\u00a0Ltd\r\nName Server: ns1.example.net',
    );
    expect(record?.contacts.registrant?.name).toBe('Ada Example\ufffd Ltd');
  });

  it('S69: keys named like built-in members are ordinary keys', () => {
    const { record } = parse(
      '__proto__: polluted\nconstructor: polluted\nDomain Name: example.com\n__proto__:\n  toString: x\nregistrant __proto__: x\nnic-hdl: __proto__\nadmin-c: __proto__\nName Server: ns1.example.net\n',
      { domain: '__proto__', server: '__proto__', tld: '__proto__' },
    );
    expect(record?.nameServers).toEqual(['ns1.example.net']);
    expect(Object.getPrototypeOf(record)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('lists are limited', () => {
    const lines = Array.from(
      { length: 3_000 },
      (_, at) => `Name Server: ns${at}.example.net\nStatus: s${at}`,
    );
    const { record } = parse(`Domain Name: example.com\n${lines.join('\n')}`);
    expect(record?.nameServers).toHaveLength(64);
    expect(record?.statuses.length).toBeLessThanOrEqual(40);
  });
});

function steps(text: string): number {
  const meter = new WorkMeter();
  parseMetered(text, COM, meter);
  return meter.steps;
}
