import { describe, expect, it } from '@jest/globals';
import type { RegistrationRecord } from '../../record.js';
import { parseWhois } from './parse-whois.js';

function read(tld: string, text: string, domain = `example.${tld}`): RegistrationRecord {
  const result = parseWhois(text, { domain, server: '', tld, role: 'registry' });
  expect(result.outcome).toBe('delivered');
  return result.record as RegistrationRecord;
}

describe('the parser reads the layout of a registry', () => {
  it('.kr: if the record is printed twice, the English one counts', () => {
    const record = read(
      'kr',
      `query : example.kr

# KOREAN(UTF8)

도메인이름                  : example.kr
등록인                      : 예시주식회사
책임자                      : 홍길동
등록일                      : 2007. 03. 02.
등록대행자                  : 예시등록(http://registrar.example)
1차 네임서버 정보
   호스트이름               : ns1.example.kr

# ENGLISH

Domain Name                 : example.kr
Registrant                  : Example Korea, LLC
Registrant Address          : 1 Sample-ro, Seoul
Registrant Zip Code         : 135984
Administrative Contact(AC)  : Ada Example
AC E-Mail                   : ada@example.kr
Registered Date             : 2007. 03. 02.
Expiration Date             : 2027. 03. 02.
Authorized Agency           : Sample Registrar(http://registrar.example)
Primary Name Server
   Host Name                : ns1.example.kr
`,
    );
    expect(record).toMatchObject({
      registrar: { name: 'Sample Registrar', url: 'http://registrar.example' },
      contacts: {
        registrant: {
          name: 'Example Korea, LLC',
          street: '1 Sample-ro, Seoul',
          postalCode: '135984',
        },
        administrative: { name: 'Ada Example', email: 'ada@example.kr' },
      },
      nameServers: ['ns1.example.kr'],
      expires: { iso: '2027-03-02' },
    });
  });

  it('a name printed in A-labels and in its displayed form is one name', () => {
    const record = read(
      'xn--p1ai',
      `Domain Name: пример.рф
Domain Name: XN--E1AFMKFD.XN--P1AI
Name Server: ns1.example.net
Creation Date: 2020-01-02T03:04:05Z
`,
      'xn--e1afmkfd.xn--p1ai',
    );
    expect(record).toMatchObject({
      domain: 'xn--e1afmkfd.xn--p1ai',
      nameServers: ['ns1.example.net'],
      created: { iso: '2020-01-02T03:04:05Z' },
    });
  });

  it('.ua: contacts are read under headings that look like comments, without handles to connect them', () => {
    const record = read(
      'ua',
      `domain:     example.ua
nserver:    ns1.example.ua
created:    2003-02-01 00:00:00+02

% Registrant:
% ===========
person:       n/a
organization: Example LLC
e-mail:       desk@example.ua
status:       linked
created:      2013-03-31 19:13:45+03

% Technical Contacts:
% ===================
person:       Ada Example
e-mail:       ada@example.ua
`,
    );
    expect(record).toMatchObject({
      created: { iso: '2003-01-31T22:00:00Z' },
      statuses: [],
      contacts: {
        registrant: { organization: 'Example LLC', email: 'desk@example.ua' },
        technical: { name: 'Ada Example', email: 'ada@example.ua' },
      },
    });
  });

  it('.sk: a registrar is named by its organisation, not by its handle', () => {
    const record = read(
      'sk',
      `Domain:                       example.sk
Registrant:                   SAMP-0001
Registrar:                    SAMP-0002
Created:                      2003-07-24
Valid Until:                  2027-07-24
Nameserver:                   ns1.example.sk

Registrar:                    SAMP-0002
Organization:                 Sample Registrar s. r. o.
Email:                        desk@registrar.example
`,
    );
    expect(record.registrar).toMatchObject({ name: 'Sample Registrar s. r. o.' });
  });

  it('.ac.uk: values are read below their keys, and telephone numbers before their labels', () => {
    const record = read(
      'ac.uk',
      `Domain:
\texample.ac.uk

Registered For:
\tUniversity of Example

Registered By:
\tSample Registrar Limited

Servers:
\tns1.example.ac.uk\t192.0.2.1
\tns2.example.ac.uk

Registrant Contact:
\tAda Example

Registrant Address:
\t1 Sample Street
\tExampleton
\tUnited Kingdom
\t+44 1632 960000 (Phone)
\t+44 1632 960001 (FAX)
\tada@example.ac.uk

Renewal date:
\tMonday 16th Jun 2027
`,
    );
    expect(record).toMatchObject({
      registrar: { name: 'Sample Registrar Limited' },
      expires: { iso: '2027-06-16' },
      contacts: {
        registrant: {
          name: 'Ada Example',
          organization: 'University of Example',
          street: '1 Sample Street\nExampleton',
          countryCode: 'GB',
          phone: '+44 1632 960000',
          fax: '+44 1632 960001',
          email: 'ada@example.ac.uk',
        },
      },
    });
  });

  it('.uk: the party through which a name was registered is not the registrar', () => {
    const record = read(
      'uk',
      `    Domain name:
        example.co.uk

    Registered through:
        Sample Reseller
        URL: http://reseller.example

    Registrar:
        Sample Registrar [Tag = SAMPLE]

    Name servers:
        ns1.example.co.uk
`,
      'example.co.uk',
    );
    expect(record).toMatchObject({
      registrar: { name: 'Sample Registrar' },
      contacts: { reseller: { name: 'Sample Reseller' } },
    });
  });

  it('.hk: a label may be longer than its value, and small print is not a status', () => {
    const record = read(
      'hk',
      `Domain Name:  EXAMPLE.HK

Registrant Contact Information:

Company English Name (It should be the same as the registered/corporation name on your Business Register Certificate or relevant documents): EXAMPLE LTD
Address: 1 SAMPLE ROAD
Country: HK

Domain Name Commencement Date: 06-04-2004

Name Servers Information:

NS1.EXAMPLE.HK

Status Information:

Domain Prohibit Status:

-------------------------------------------------------------------------------
 The Registry contains ONLY .com.hk, .net.hk, .edu.hk, .org.hk,
 .gov.hk, idv.hk. and .hk domains.
`,
    );
    expect(record).toMatchObject({
      created: { iso: '2004-04-06' },
      statuses: [],
      contacts: { registrant: { organization: 'EXAMPLE LTD', countryCode: 'HK' } },
    });
  });

  it('.mx: the state of a party is part of its address', () => {
    const record = read(
      'mx',
      `Domain Name:       example.mx
Created On:        2009-05-12
State:             ok

Registrant:
   Name:           Ada Example
   City:           Toluca
   State:          Mexico
   Country:        Mexico
`,
    );
    expect(record).toMatchObject({
      statuses: ['ok'],
      contacts: { registrant: { city: 'Toluca', state: 'Mexico', countryCode: 'MX' } },
    });
  });

  it('.it: statuses may be separated by a slash', () => {
    const text =
      'Domain: example.it\nStatus: pendingDelete / redemptionPeriod\nCreated: 2004-01-02';
    expect(read('it', text).statuses).toEqual(['pendingDelete', 'redemptionPeriod']);
  });

  it('.tm: each line of the owner repeats the header', () => {
    const record = read(
      'tm',
      `Domain : example.tm
Status : Client Updt Lock
Expiry : 2027-01-30

NS 1   : ns1.example.net

Owner  : Ada Example
Owner  : Example Ltd
Owner  : 1 Sample Street
Owner  : Exampleton
Owner  : EX
Owner  : US
`,
    );
    expect(record).toMatchObject({
      expires: { iso: '2027-01-30' },
      contacts: {
        registrant: {
          name: 'Ada Example',
          organization: 'Example Ltd',
          street: '1 Sample Street',
          city: 'Exampleton',
          state: 'EX',
          countryCode: 'US',
        },
      },
    });
  });

  it('.il: the history of changes begins with the day of registration', () => {
    const record = read(
      'co.il',
      `domain:       example.co.il

descr:        Example Ltd
nserver:      ns1.example.co.il
validity:     05-06-2027
changed:      registrar AT ns.il 19990605 (Assigned)
changed:      registrar AT ns.il 20250517 (Changed)
`,
    );
    expect(record).toMatchObject({
      created: { iso: '1999-06-05' },
      updated: { iso: '2025-05-17' },
      expires: { iso: '2027-06-05' },
    });
  });

  it('.gov.za: the date of a form is the day of registration', () => {
    const text = `1a.        Domain Name : example.gov.za
2a.        Department Name : Department of Examples
3a.        Admin Contact Name : Ada Example
5a.        Primary NS : ns1.example.gov.za
7b.        Date : 2012/09/03
`;
    expect(read('gov.za', text)).toMatchObject({
      created: { iso: '2012-09-03' },
      contacts: { registrant: { organization: 'Department of Examples' } },
    });
  });

  it('.to: each line has a label and a name server', () => {
    const text = 'Tonic whoisd V1.1\nexample ns1.example.net\nexample ns2.example.net\n';
    expect(read('to', text).nameServers).toEqual(['ns1.example.net', 'ns2.example.net']);
  });

  it('an empty reseller is not named by the small print below the record', () => {
    const record = read(
      'sh',
      `Domain Name: EXAMPLE.SH
Creation Date: 1999-06-07T17:23:46Z
Reseller:
Domain Status: clientHold https://icann.org/epp#clientHold

Registrant Organization: Example Ltd
Name Server: NS1.EXAMPLE.NET

>>> Last update of WHOIS database: 2026-11-18T21:20:56Z <<<

For more information on Whois status codes, please visit https://icann.org/epp
`,
    );
    expect(record.contacts.reseller).toBeUndefined();
    expect(record.statuses).toEqual(['clientHold']);
  });
});
