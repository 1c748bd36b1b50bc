import { describe, expect, it } from '@jest/globals';
import type { RegistrationRecord } from '../../../record.js';
import { parseWhois } from '../parse-whois.js';

function read(tld: string, text: string): RegistrationRecord {
  const context = { domain: `example.${tld}`, server: '', tld, role: 'registry' as const };
  const { outcome, record } = parseWhois(text, context);
  expect(outcome).toBe('delivered');
  return record as RegistrationRecord;
}

describe('the parser reads the layouts of registries of northern Europe', () => {
  it('.uk: headers with indented lines, and dates with month names, are read', () => {
    const record = read(
      'co.uk',
      `
    Domain name:
        example.co.uk

    Registrant:
        Example Holdings Ltd

    Registrant type:
        UK Limited Company, (Company number: 01234567)

    Registrant's address:
        1 Sample Street
        Sampletown
        Sampleshire
        SA1 1AA
        United Kingdom

    Registrar:
        Sample Names Ltd t/a Sample [Tag = SAMPLE]
        URL: https://www.registrar.example

    Relevant dates:
        Registered on: 14-Feb-1999
        Expiry date:  14-Feb-2027
        Last updated:  13-Jan-2025

    Registration status:
        Registered until expiry date.

    Name servers:
        ns1.example.co.uk     192.0.2.1   2001:db8::1
        ns2.example.net

    WHOIS lookup made at 21:25:26 18-Nov-2025

--
This WHOIS information is provided for free. (C) exceeding query rate or volume limits.
`,
    );
    expect(record).toMatchObject({
      domain: 'example.co.uk',
      created: { iso: '1999-02-14', precision: 'day' },
      expires: { iso: '2027-02-14' },
      updated: { iso: '2025-01-13' },
      nameServers: ['ns1.example.co.uk', 'ns2.example.net'],
      statuses: ['Registered until expiry date.'],
      registrar: {
        name: 'Sample',
        organization: 'Sample Names Ltd',
        url: 'https://www.registrar.example',
      },
      contacts: {
        registrant: {
          name: 'Example Holdings Ltd',
          street: '1 Sample Street',
          city: 'Sampletown',
          state: 'Sampleshire',
          postalCode: 'SA1 1AA',
          countryCode: 'GB',
        },
      },
    });
  });

  it('.uk: "before" a month is read as an upper bound of the creation date', () => {
    const record = read(
      'uk',
      'Domain name:\n  example.uk\n\nRelevant dates:\n  Registered on: before Aug-1996\n  Expiry date: 05-Dec-2026\n',
    );
    expect(record.created).toMatchObject({ iso: '1996-08-01', precision: 'day', isBound: true });
    expect(record.expires?.iso).toBe('2026-12-05');
  });

  it('.se: bare keys are read, and a holder known only by a handle', () => {
    const record = read(
      'se',
      `# Copyright (c) 1997- The Swedish Internet Foundation.
state:            active
domain:           example.se
holder:           exampl0000-00001
created:          2008-10-20
modified:         2025-09-18
expires:          2026-10-20
transferred:      2009-03-06
nserver:          ns1.example.se 192.0.2.1
nserver:          ns2.example.net
dnssec:           signed delegation
registry-lock:    unlocked
status:           ok
registrar:        Exempel AB
`,
    );
    expect(record).toMatchObject({
      created: { iso: '2008-10-20' },
      updated: { iso: '2025-09-18' },
      expires: { iso: '2026-10-20' },
      registrar: { name: 'Exempel AB' },
      statuses: ['ok'],
      dnssec: { signed: true },
      contacts: { registrant: { handle: 'exampl0000-00001' } },
    });
  });

  it('.fi: dotted keys, dates with the day first, and headers followed by blank lines are read', () => {
    const record = read(
      'fi',
      `
domain.............: example.fi
status.............: Registered
created............: 3.4.2006 00:00:00
expires............: 5.6.2027 10:11:12
available..........: 5.7.2027 10:11:12
modified...........: 7.8.2025 09:10:11
RegistryLock.......: no

Nameservers

nserver............: ns1.example.fi [OK]
nserver............: ns2.example.net [OK]

DNSSEC

dnssec.............: no

Holder

name...............: Esimerkki Oy
register number....: 1234567-8
address............: Esimerkkikatu 1
postal.............: 00100
city...............: Helsinki
country............: Finland
phone..............:
holder email.......:

Registrar

registrar..........: Malli Oy
www................: https://www.registrar.example

>>> Last update of WHOIS database: 18.11.2025 23:00:14 (EET) <<<
`,
    );
    expect(record).toMatchObject({
      created: { iso: '2006-04-03T00:00:00Z' },
      expires: { iso: '2027-06-05T10:11:12Z' },
      updated: { iso: '2025-08-07T09:10:11Z' },
      nameServers: ['ns1.example.fi', 'ns2.example.net'],
      registrar: { name: 'Malli Oy', url: 'https://www.registrar.example' },
      contacts: {
        registrant: {
          name: 'Esimerkki Oy',
          street: 'Esimerkkikatu 1',
          postalCode: '00100',
          city: 'Helsinki',
          countryCode: 'FI',
        },
      },
    });
  });

  it('.dk: headers without a colon are read; .no: objects are joined by handle', () => {
    const dk = read(
      'dk',
      `# Hello 192.0.2.1. Your session has been logged.
Domain:               example.dk
DNS:                  example.dk
Registered:           1999-01-10
Expires:              2027-03-31
Registration period:  1 year
VID:                  no
Dnssec:               Unsigned delegation
Status:               Active

Registrant
Handle:               ***N/A***
Name:                 Eksempel ApS
Address:              Eksempelvej 1
Postalcode:           1000
City:                 København
Country:              DK

Nameservers
Hostname:             ns1.example.dk
Hostname:             ns2.example.net
`,
    );
    expect(dk).toMatchObject({
      created: { iso: '1999-01-10' },
      nameServers: ['ns1.example.dk', 'ns2.example.net'],
      contacts: { registrant: { name: 'Eksempel ApS', city: 'København', postalCode: '1000' } },
    });
    const no = read(
      'no',
      `% Kopibeskyttet

Domain Information

NORID Handle...............: EXA1D-NORID
Domain Name................: example.no
Registrar Handle...........: REG1-NORID
Tech-c Handle..............: EE1R-NORID
Name Server Handle.........: NS1H-NORID
DNSSEC.....................: Signed

Additional information:
Created:         2001-02-26
Last updated:    2025-01-27

NORID Handle...............: EE1R-NORID
Type.......................: role
Name.......................: Eksempel Drift
Email Address..............: drift@example.no

Additional information:
Created:         2010-10-01
Last updated:    2010-10-01
`,
    );
    expect(no).toMatchObject({
      domain: 'example.no',
      created: { iso: '2001-02-26' },
      updated: { iso: '2025-01-27' },
      registrar: { name: 'REG1-NORID' },
      contacts: { technical: { name: 'Eksempel Drift', email: 'drift@example.no' } },
    });
  });

  it('.ee and .lv: sections without indentation that use the same keys are told apart', () => {
    const ee = read(
      'ee',
      `Estonia .ee Top Level Domain WHOIS server

Domain:
name:       example.ee
status:     ok (paid and in zone)
registered: 2010-07-04 03:38:46 +03:00
changed:    2025-10-02 12:01:59 +03:00
expire:     2026-07-05
outzone:
delete:

Registrant:
name:       Naidis OÜ
org id:     12345678
country:    EE
email:      Not Disclosed - Visit www.internet.ee for webbased WHOIS
changed:    2023-07-05 10:00:00 +03:00

Administrative contact:
name:       Not Disclosed
email:      Not Disclosed

Registrar:
name:       Registripidaja AS
url:        https://www.registrar.example
phone:      +372.6000000
changed:    2022-07-05 10:00:00 +03:00

Name servers:
nserver:   ns1.example.ee
nserver:   ns2.example.net
changed:   2020-07-05 10:00:00 +03:00
`,
    );
    expect(ee).toMatchObject({
      domain: 'example.ee',
      created: { iso: '2010-07-04T00:38:46Z' },
      updated: { iso: '2025-10-02T09:01:59Z' },
      expires: { iso: '2026-07-05' },
      statuses: ['ok'],
      registrar: { name: 'Registripidaja AS', url: 'https://www.registrar.example' },
      nameServers: ['ns1.example.ee', 'ns2.example.net'],
      contacts: { registrant: { name: 'Naidis OÜ', countryCode: 'EE' } },
    });
    const lv = read(
      'lv',
      `[Domain]
Domain: example.lv
Status: active

[Holder]
Type: Legal person
Name: SIA Paraugs
Email: info@example.lv
Phone: +371.60000000
Address: Parauga iela 1, Riga, LV-1001, Latvia
RegNr: 40000000000

[Tech]
Type: Natural person
Email: tech@registrar.example

[Registrar]
Type: Legal person
Name: SIA Registrators
Phone: +371.60000001

[Nservers]
Nserver: ns1.example.lv
Nserver: ns2.example.net

[Whois]
Updated: 2025-11-18T18:12:31.726496+00:00
`,
    );
    expect(lv.updated).toBeUndefined();
    expect(lv).toMatchObject({
      statuses: ['active'],
      registrar: { name: 'SIA Registrators' },
      nameServers: ['ns1.example.lv', 'ns2.example.net'],
      contacts: { registrant: { organization: 'SIA Paraugs', email: 'info@example.lv' } },
    });
  });
});
