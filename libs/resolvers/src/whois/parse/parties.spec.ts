import { describe, expect, it } from '@jest/globals';
import { parseWhois } from './parse-whois.js';

const read = (tld: string, text: string, domain = `example.${tld}`) => {
  const context = { domain, tld, server: '', role: 'registry' as const };
  return parseWhois(text, context).record;
};

/** The data of a host object. Anyone can name a host after any domain, with any registrar. */
const HOST = `   Server Name: EXAMPLE.COM.SOMEBODY.ELSES.EXAMPLE
   IP Address: 192.0.2.9
   Registrar: HOST REGISTRAR, INC.
   Whois Server: whois.host-registrar.example
   Referral URL: http://www.host-registrar.example
`;
const DOMAIN = `   Domain Name: EXAMPLE.COM
   Registrar: TRUE REGISTRAR, LLC
   Whois Server: whois.true-registrar.example
   Referral URL: http://www.true-registrar.example
   Name Server: NS1.EXAMPLE.NET
   Creation Date: 15-sep-1997
`;

describe('a host object', () => {
  const expected = {
    domain: 'example.com',
    registrar: { name: 'TRUE REGISTRAR, LLC', whoisServer: 'whois.true-registrar.example' },
    referral: { whoisServer: 'whois.true-registrar.example' },
    nameServers: ['ns1.example.net'],
  };

  it.each([
    ['before', `${HOST}\n${DOMAIN}`],
    ['several times before', `${HOST}\n${HOST}\n${DOMAIN}`],
    ['after', `${DOMAIN}\n${HOST}`],
  ])('%s the domain provides neither the registrar nor a referral', (_place, text) => {
    expect(read('com', text)).toMatchObject(expected);
  });

  it('by itself says nothing about a domain', () => {
    const context = { domain: 'example.com', tld: 'com', server: '', role: 'registry' as const };
    expect(parseWhois(HOST, context)).toEqual({ outcome: 'parse_failed' });
  });
});

describe('a value of a party', () => {
  const registrant = (...lines: string[]) =>
    read('com', [DOMAIN, ...lines.map((line) => `   Registrant ${line}`)].join('\n'));

  it.each([
    'City: Hidden Hills',
    'Street: Hidden Lane 4',
    'Name: Hidden Brook',
    'Organization: Confidential Records Ltd',
    'Organization: Personal Data Systems GmbH',
    'Organization: Unpublished Press',
    'Organization: Protected Trust Ltd',
    'Name: Masked Owl',
    'Email: hidden.brook@farm.example',
    'Country: NA',
  ])('is published even if a placeholder begins in the same way: %s', (line) => {
    const { contacts, redactions } = registrant(line)!;
    expect(Object.values(contacts.registrant ?? {})).toContain(line.split(': ')[1]);
    expect(redactions).toEqual([]);
  });

  it.each([
    'hidden',
    'Hidden!',
    '(hidden)',
    'HIDDEN UPON USER REQUEST',
    'hidden for privacy reasons',
    'Hidden due to GDPR',
    'hidden, see www.nic.example',
    'Confidential',
    'Confidential information',
    '<confidential>',
    'Personal data',
    'Personal data, can not be publicly disclosed',
    'Unpublished by request',
    'Hidden GDPR',
    'hidden_by_registrar',
    'Masked',
    'Data hidden',
    'Registrant not disclosed',
    '***',
    'XXXXX',
  ])('is withheld: %s', (value) => {
    const { contacts, redactions } = registrant(`Name: ${value}`, 'City: Delft')!;
    expect(contacts.registrant).toEqual({ city: 'Delft' });
    expect(redactions).toMatchObject([{ path: 'contacts.registrant.name', basis: 'text' }]);
  });
});

it.each(['Contact form at https://registrar.example/form', 'Write at www.registrar.example'])(
  'the page %j in place of an e-mail address is withheld, and no address is made of it',
  (email) => {
    const text = `Domain Name: example.test\nRegistrar: X\nRegistrant Name: Ada\nRegistrant Email: ${email}\n`;
    const record = read('test', text);
    expect(record?.contacts).toEqual({ registrant: { name: 'Ada' } });
    expect(record?.redactions).toEqual([{ path: 'contacts.registrant.email', basis: 'text' }]);
  },
);

it.each(['-1', '1e3', '0x1F', '1.5'])('%s is not a registrar’s IANA id', (id) => {
  expect(read('com', `${DOMAIN}   Registrar IANA ID: ${id}\n`)?.registrar).not.toHaveProperty(
    'ianaId',
  );
});

it('a telephone and a fax number on one line of an address are told apart', () => {
  const lines = [
    'Ada Example',
    'Av. Example 9',
    'Valencia, Carabobo',
    '2415550100 (FAX) 2415550111',
  ];
  const text = `Domain Name: example.test\nRegistrar: X\n\nRegistrant:\n${lines.map((line) => `   ${line}\n`).join('')}`;
  expect(read('test', text)?.contacts.registrant).toEqual({
    name: 'Ada Example',
    street: 'Av. Example 9\nValencia, Carabobo',
    phone: '2415550100',
    fax: '2415550111',
  });
});

describe('a handle', () => {
  it('is not a name, even if the answer lacks its object', () => {
    const lines = [
      'domain:         example.at',
      'registrant:     HOL1-NICAT',
      'tech-c:         TEC1-NICAT',
      'nserver:        ns1.example.net',
      '',
      'personname:     Tim Example',
      'nic-hdl:        TEC1-NICAT',
      '',
    ];
    expect(read('at', lines.join('\n'))?.contacts).toEqual({
      registrant: { handle: 'HOL1-NICAT' },
      technical: { handle: 'TEC1-NICAT', name: 'Tim Example' },
    });
  });
});

describe('lines of a party', () => {
  it('.hk: an additional line of an address is not a name', () => {
    const text = `Domain Name:  EXAMPLE.HK

Registrant Contact Information:

Company English Name (It should be the same as the registered name): SAMPLE LIMITED
Address: UNIT 1, 2/F, SAMPLE TOWER,
99 SAMPLE ROAD, KOWLOON
Country: Hong Kong (HK)
Email: owner@example.hk
Domain Name Commencement Date: 06-04-2004

Technical Contact Information:

Family name: EXAMPLE
Company name: SAMPLE LIMITED
Address:
UNIT 1
99 SAMPLE ROAD
Country: HK
`;
    const { contacts } = read('hk', text)!;
    expect(contacts.registrant).toEqual({
      organization: 'SAMPLE LIMITED',
      street: 'UNIT 1, 2/F, SAMPLE TOWER,\n99 SAMPLE ROAD, KOWLOON',
      countryCode: 'HK',
      countryName: 'Hong Kong SAR China',
      email: 'owner@example.hk',
    });
    expect(contacts.technical).toMatchObject({
      name: 'EXAMPLE',
      street: 'UNIT 1\n99 SAMPLE ROAD',
    });
  });

  it('.edu: among the lines of a contact, the registrant’s name is the organisation; a job title above that line is dropped', () => {
    const text = `Domain Name: EXAMPLE.EDU

Registrant:
   University of Samples
   Sampletown, ID 83814
   UNITED STATES

Administrative Contact:
   Ada Example
   Director, Network Services
   University of Samples
   1000 W. Sample Avenue
   Sampletown, ID 83814
   UNITED STATES
   (208) 555-7860
   ada@example.edu

Technical Contact:
   Same Example
   University of Samples
   Office 12
   1000 W. Sample Avenue
   Sampletown, ID 83814
   UNITED STATES

Domain record activated:    20-Dec-1996
`;
    const place = { city: 'Sampletown', state: 'ID', postalCode: '83814', countryCode: 'US' };
    const organization = 'University of Samples';
    expect(read('edu', text)?.contacts).toMatchObject({
      registrant: { organization, ...place },
      administrative: {
        name: 'Ada Example',
        organization,
        street: '1000 W. Sample Avenue',
        phone: '(208) 555-7860',
        ...place,
      },
      technical: {
        name: 'Same Example',
        organization,
        street: 'Office 12\n1000 W. Sample Avenue',
        ...place,
      },
    });
  });

  it('.tw: a person next to an e-mail address belongs to the organisation above', () => {
    const text = `Domain Name: example.com.tw
   Registrant:
      Sample Inc.
      Ada Example  ada@example.com.tw
      +886.225550000
      1 Sample Road, Sec. 2
      Taipei, Taiwan
      TW

   Technical Contact:
      Tech Team  tech@example.com.tw

   Record created on 2000-08-29 (YYYY-MM-DD)
`;
    const { contacts } = read('com.tw', text)!;
    expect(contacts).toMatchObject({
      registrant: {
        name: 'Ada Example',
        organization: 'Sample Inc.',
        street: '1 Sample Road, Sec. 2\nTaipei, Taiwan',
      },
      technical: { name: 'Tech Team', email: 'tech@example.com.tw' },
    });
    expect(contacts.technical).not.toHaveProperty('organization');
  });

  it('.gov.za: a form names departments, and the lines of each party follow its name', () => {
    const text = `1a.        Domain Name : example.gov.za
2a.        Department Name : Department of Samples
2b.        Postal Address : Private Bag x1,Pretoria,
2c.        Postal Code : 0001
3a.        Admin Contact Name : Ada Example
3b.        Title\\Position : Director: Samples
3c.        Department : Department of Forms
3d.        Email : ada@example.gov.za
4a.        Tech Contact Name : Same Example
4c.        Department : SAMPLE IT
4d.        Email : same@example.co.za
5a.        Primary NS : ns1.example.gov.za
7a.        Place : Pretoria
7b.        Date : 2012/09/03
7c.        Name of Applicant : Ada Example
`;
    expect(read('gov.za', text)).toMatchObject({
      created: { iso: '2012-09-03' },
      nameServers: ['ns1.example.gov.za'],
      contacts: {
        registrant: { organization: 'Department of Samples', postalCode: '0001' },
        administrative: {
          name: 'Ada Example',
          organization: 'Department of Forms',
          email: 'ada@example.gov.za',
        },
        technical: { name: 'Same Example', organization: 'SAMPLE IT' },
      },
    });
  });
});
