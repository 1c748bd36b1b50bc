import { describe, expect, it } from '@jest/globals';
import type { RegistrationRecord } from '../../../record.js';
import { parseWhois } from '../parse-whois.js';

function read(tld: string, text: string): RegistrationRecord {
  const context = { domain: `example.${tld}`, server: '', tld, role: 'registry' as const };
  const { outcome, record } = parseWhois(text, context);
  expect(outcome).toBe('delivered');
  return record as RegistrationRecord;
}

describe('the parser reads the layouts of registries of eastern Europe and Turkey', () => {
  it('.pl: values that continue on later lines and a registrar in a block are read, and the renewal date is the expiry date', () => {
    const record = read(
      'pl',
      `
DOMAIN NAME:           example.pl
registrant type:       organization
nameservers:           ns1.example.pl. [192.0.2.1]
                       ns2.example.net.
created:               2002.09.19 13:00:00
last modified:         2025.08.17 11:21:09
renewal date:          2026.09.18 14:00:00

no option

dnssec:                Unsigned


REGISTRAR:
Przyklad S.A.
ul. Przykladowa 1
00-001 Warszawa
Polska/Poland
+48.221234567
kontakt@registrar.example

WHOIS database responses: https://dns.pl/en/whois
WHOIS displays data with a delay not exceeding 15 minutes in relation to the .pl Registry system
`,
    );
    expect(record).toMatchObject({
      domain: 'example.pl',
      created: { iso: '2002-09-19T13:00:00Z' },
      updated: { iso: '2025-08-17T11:21:09Z' },
      expires: { iso: '2026-09-18T14:00:00Z' },
      nameServers: ['ns1.example.pl', 'ns2.example.net'],
      registrar: { name: 'Przyklad S.A.' },
      dnssec: { signed: false },
    });
  });

  it('.cz: objects are joined by handle, and the contacts’ dates are not the domain’s', () => {
    const record = read(
      'cz',
      `%  (c) 2006-2025 CZ.NIC, z.s.p.o.

domain:       example.cz
registrant:   EXA-1
admin-c:      EXA-2
nsset:        NSS:EXA-1
keyset:       KEY-1
registrar:    REG-PRIKLAD
status:       Sponsoring registrar change forbidden
registered:   01.02.2003 15:21:00
changed:      18.05.2024 23:28:45
expire:       22.07.2027

contact:      EXA-1
org:          Priklad s.r.o.
name:         Ada Prikladova
address:      Prikladna 1
address:      Praha
address:      11000
address:      CZ
registrar:    REG-JINY
created:      10.08.2001 22:13:00
changed:      15.05.2018 21:32:00

contact:      EXA-2
name:         Jan Priklad
registrar:    REG-JINY
created:      04.03.2020 10:00:00

nsset:        NSS:EXA-1
nserver:      ns1.example.cz (192.0.2.1)
nserver:      ns2.example.net
tech-c:       EXA-2
registrar:    REG-JINY
created:      10.08.2001 22:13:00
`,
    );
    expect(record).toMatchObject({
      created: { iso: '2003-02-01T15:21:00Z' },
      updated: { iso: '2024-05-18T23:28:45Z' },
      expires: { iso: '2027-07-22', precision: 'day' },
      registrar: { name: 'REG-PRIKLAD' },
      statuses: ['Sponsoring registrar change forbidden'],
      nameServers: ['ns1.example.cz', 'ns2.example.net'],
      contacts: {
        registrant: { handle: 'EXA-1', name: 'Ada Prikladova', organization: 'Priklad s.r.o.' },
        administrative: { handle: 'EXA-2', name: 'Jan Priklad' },
        technical: { handle: 'EXA-2' },
      },
    });
  });

  it('.sk: the old columns and the current objects are read', () => {
    const old = read(
      'sk',
      `Domain-name         example.sk
Admin-id            EXAM-0001
Admin-name          Priklad s.r.o.
Admin-address       Prikladna 1, Bratislava 811 01
Tech-id             EXAM-0002
dns_name            ns1.example.sk
dns_name            ns2.example.net
Last-update         2010-06-28
Valid-date          2011-07-23
Domain-status       DOM_OK
`,
    );
    expect(old).toMatchObject({
      domain: 'example.sk',
      updated: { iso: '2010-06-28' },
      expires: { iso: '2011-07-23' },
      nameServers: ['ns1.example.sk', 'ns2.example.net'],
      statuses: ['DOM_OK'],
      contacts: { administrative: { handle: 'EXAM-0001', name: 'Priklad s.r.o.' } },
    });
    const today = read(
      'sk',
      `Domain:                       example.sk
Registrant:                   EXAM-0001
Admin Contact:                EXAM-0001
Tech Contact:                 EXAM-0002
Registrar:                    REGI-0001
Created:                      2003-07-24
Updated:                      2025-07-03
Valid Until:                  2026-07-24
Nameserver:                   ns1.example.sk
Nameserver:                   ns2.example.net
EPP Status:                   ok

Registrar:                    REGI-0001
Name:                         Registrator s.r.o.
Phone:                        +421.210000000
Created:                      2017-09-01
Updated:                      2024-05-12

Contact:                      EXAM-0001
Name:                         Priklad s.r.o.
Organization:                 Priklad s.r.o.
Street:                       Prikladna 1
City:                         Bratislava
Postal Code:                  811 01
Country Code:                 SK
Created:                      2017-09-02
`,
    );
    expect(today).toMatchObject({
      created: { iso: '2003-07-24' },
      updated: { iso: '2025-07-03' },
      expires: { iso: '2026-07-24' },
      statuses: ['ok'],
      contacts: {
        registrant: { handle: 'EXAM-0001', organization: 'Priklad s.r.o.', city: 'Bratislava' },
      },
    });
  });

  it('.ru: states in a list, a holder without a section, and the end of payment are read', () => {
    const record = read(
      'ru',
      `% TCI Whois Service.

domain:        EXAMPLE.RU
nserver:       ns1.example.ru. 192.0.2.1
nserver:       ns2.example.net.
state:         REGISTERED, DELEGATED, VERIFIED
org:           Primer LLC
taxpayer-id:   1234567890
registrar:     SAMPLE-RU
admin-contact: https://www.registrar.example/whois
created:       2004-03-03T21:00:00Z
paid-till:     2027-03-04T21:00:00Z
free-date:     2027-04-05
source:        TCI

Last updated on 2025-11-18T21:16:34Z
`,
    );
    expect(record).toMatchObject({
      created: { iso: '2004-03-03T21:00:00Z' },
      expires: { iso: '2027-03-04T21:00:00Z' },
      statuses: ['REGISTERED', 'DELEGATED', 'VERIFIED'],
      registrar: { name: 'SAMPLE-RU' },
      nameServers: ['ns1.example.ru', 'ns2.example.net'],
      contacts: { registrant: { organization: 'Primer LLC' } },
    });
    expect(record.updated).toBeUndefined();
  });

  it('.ua: contact objects are joined by id, and offsets may have two digits', () => {
    const record = read(
      'com.ua',
      `% This is the Ukrainian Whois query server.
domain:           example.com.ua
dom-public:       NO
registrant:       exa-1
admin-c:          exa-1
mnt-by:           ua.sample
nserver:          ns1.example.com.ua
nserver:          ns2.example.net
status:           clientTransferProhibited
created:          2002-12-04 10:00:00+02
modified:         2025-11-02 11:25:57+02
expires:          2026-12-04 10:00:00+02
source:           UAEPP

% Registrar:
% ==========
registrar:        ua.sample
organization:     Zrazok LLC
url:              http://registrar.example
city:             Kyiv
country:          UA
source:           UAEPP

% Registrant:
% ===========
contact-id:       exa-1
person:           n/a
person-loc:       Ada Zrazok
organization-loc: Zrazok Holding
e-mail:           ada@example.com.ua
address-loc:      Zrazkova 1
postal-code-loc:  01001
country-loc:      UA
phone:            +380.440000000
status:           ok
created:          2017-07-28 23:53:31+03
source:           UAEPP
`,
    );
    expect(record).toMatchObject({
      created: { iso: '2002-12-04T08:00:00Z' },
      expires: { iso: '2026-12-04T08:00:00Z' },
      statuses: ['clientTransferProhibited'],
      registrar: { name: 'ua.sample', url: 'http://registrar.example' },
      contacts: {
        registrant: { handle: 'exa-1', name: 'Ada Zrazok', organization: 'Zrazok Holding' },
      },
    });
  });

  it('.rs: dates with the day first are read; .ro and .hu: dates with unusual keys are read', () => {
    const rs = read(
      'rs',
      `Domain name: example.rs
Domain status: Active, clientUpdateProhibited
Registration date: 10.03.2008 12:31:19
Modification date: 10.02.2025 17:24:29
Expiration date: 10.03.2027 12:31:19
Registrar: Primer d.o.o.

Registrant: Primer Holding
Address: Primerna 1, Beograd, Serbia
Postal Code: 11000

DNS: ns1.example.rs - 192.0.2.1
DNS: ns2.example.net -

DNSSEC signed: no
`,
    );
    expect(rs).toMatchObject({
      created: { iso: '2008-03-10T12:31:19Z' },
      expires: { iso: '2027-03-10T12:31:19Z' },
      statuses: ['Active', 'clientUpdateProhibited'],
      nameServers: ['ns1.example.rs', 'ns2.example.net'],
      registrar: { name: 'Primer d.o.o.' },
      contacts: { registrant: { name: 'Primer Holding' } },
    });
    expect(
      read(
        'ro',
        '  Domain Name: example.ro\n  Registered On: 2008-04-16\n  Expires On: 2027-07-13\n  Registrar: Exemplu SRL\n  Referral URL: http://www.registrar.example\n\n  DNSSEC: Inactive\n\n  Nameserver: ns1.example.ro\n\n  Domain Status: OK\n',
      ),
    ).toMatchObject({
      created: { iso: '2008-04-16' },
      expires: { iso: '2027-07-13' },
      registrar: { name: 'Exemplu SRL', url: 'http://www.registrar.example' },
      dnssec: { signed: false },
      statuses: ['ok'],
    });
    expect(
      read('hu', 'domain:         example.hu\nrecord created: 2000.03.25 23:20:39\n').created?.iso,
    ).toBe('2000-03-25T23:20:39Z');
  });

  it('.tr: starred headers are read, and dates with the month’s name between year and day', () => {
    const record = read(
      'com.tr',
      `** Domain Name: example.com.tr
Domain Status: Active
Frozen Status: -

** Registrant:
   Ornek A.S.
   Ornek Sokak 1
   Istanbul,
     Turkiye
   Hidden upon user request

** Registrar:
NIC Handle: orn1
Organization Name: Kayit A.S.
Address: Kayit Sokak 2
Phone: + 90-212-0000000-

** Domain Servers:
ns1.example.com.tr 192.0.2.1
ns2.example.net

** Additional Info:
Created on..............: 2001-Aug-23.
Expires on..............: 2026-Aug-22.
`,
    );
    expect(record).toMatchObject({
      created: { iso: '2001-08-23' },
      expires: { iso: '2026-08-22' },
      nameServers: ['ns1.example.com.tr', 'ns2.example.net'],
      registrar: { organization: 'Kayit A.S.' },
      contacts: { registrant: { name: 'Ornek A.S.' } },
    });
  });
});
