import { describe, expect, it } from '@jest/globals';
import type { RegistrationRecord } from '../../../record.js';
import { parseWhois } from '../parse-whois.js';

function read(tld: string, text: string): RegistrationRecord {
  const context = { domain: `example.${tld}`, server: '', tld, role: 'registry' as const };
  const { outcome, record } = parseWhois(text, context);
  expect(outcome).toBe('delivered');
  return record as RegistrationRecord;
}

describe('registries of western Europe', () => {
  it('.uk: headers with lines set in below, day first months by name', () => {
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
      registrar: { name: 'Sample Names Ltd t/a Sample', url: 'https://www.registrar.example' },
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

  it('.uk: a date before a month has no day and is left out', () => {
    const record = read(
      'uk',
      'Domain name:\n  example.uk\n\nRelevant dates:\n  Registered on: before Aug-1996\n  Expiry date: 05-Dec-2026\n',
    );
    expect(record.created).toBeUndefined();
    expect(record.expires?.iso).toBe('2026-12-05');
  });

  it('.de: a bare record, and one with contacts below bracketed headers', () => {
    expect(read('de', 'Domain: example.de\nStatus: connect\n')).toMatchObject({
      domain: 'example.de',
      statuses: ['connect'],
    });
    const record = read(
      'de',
      `% Restricted rights.
Domain: example.de
Nserver: ns1.example.de 192.0.2.1 2001:db8::1
Nserver: ns2.example.net
Dnskey: 257 3 8 AwEAAb
Status: connect
Changed: 2025-03-30T19:36:27+02:00

[Tech-C]
Type: PERSON
Name: Ada Example
Organisation: Example GmbH
Address: Musterweg 1
PostalCode: 12345
City: Musterstadt
CountryCode: DE
Phone: +49.301234567
Email: tech@example.de
Changed: 2011-03-11T00:04:49+01:00

[Zone-C]
Type: PERSON
Name: Other Example
`,
    );
    expect(record).toMatchObject({
      updated: { iso: '2025-03-30T17:36:27Z', precision: 'second' },
      nameServers: ['ns1.example.de', 'ns2.example.net'],
      contacts: {
        technical: {
          name: 'Ada Example',
          organization: 'Example GmbH',
          street: 'Musterweg 1',
          postalCode: '12345',
          city: 'Musterstadt',
          countryCode: 'DE',
          email: 'tech@example.de',
        },
      },
    });
  });

  it('.fr: objects joined by handle, the state of the registrar not taken for the domain', () => {
    const record = read(
      'fr',
      `%%
%% complete date format : DD/MM/YYYY

domain:      example.fr
status:      ACTIVE
hold:        NO
holder-c:    EH1-FRNIC
admin-c:     AE2-FRNIC
tech-c:      AE2-FRNIC
registrar:   SAMPLE REGISTRAR
Expiry Date: 03/04/2027
created:     05/06/2000
last-update: 07/08/2025
source:      FRNIC

ns-list:     NSL1-FRNIC
nserver:     ns1.example.fr [192.0.2.1 2001:db8::1]
nserver:     ns2.example.net
source:      FRNIC

registrar:   SAMPLE REGISTRAR
type:        Isp Option 1
address:     9 rue du Modele
country:     FR
phone:       +33 1 00 00 00 00
e-mail:      contact@registrar.example
website:     https://www.registrar.example
registered:  10/01/2002
source:      FRNIC

nic-hdl:     EH1-FRNIC
type:        ORGANIZATION
contact:     Exemple SARL
address:     1 rue de l'Exemple
address:     75001 Paris
country:     FR
e-mail:      domaines@example.fr
changed:     20/03/2015 nic@nic.fr
source:      FRNIC

nic-hdl:     AE2-FRNIC
type:        PERSON
contact:     Ano Nymous
remarks:     -------------- WARNING --------------
source:      FRNIC
`,
    );
    expect(record).toMatchObject({
      created: { iso: '2000-06-05' },
      updated: { iso: '2025-08-07' },
      expires: { iso: '2027-04-03' },
      nameServers: ['ns1.example.fr', 'ns2.example.net'],
      statuses: ['ACTIVE'],
      registrar: { name: 'SAMPLE REGISTRAR', url: 'https://www.registrar.example' },
      contacts: {
        registrant: { handle: 'EH1-FRNIC', organization: 'Exemple SARL', countryCode: 'FR' },
        administrative: { handle: 'AE2-FRNIC' },
      },
    });
    expect(record.redactions).toContainEqual({
      path: 'contacts.administrative.name',
      basis: 'text',
    });
  });

  it('.it: indented sections, addresses by position, their dates not taken for the domain', () => {
    const record = read(
      'it',
      `
*********************************************************************
* Please note that the following result could be a subgroup         *
*********************************************************************

Domain:             example.it
Status:             ok
Signed:             no
Created:            1999-12-10 00:00:00
Last Update:        2025-10-04 00:10:40
Expire Date:        2026-10-02

Registrant
  Organization:     Esempio S.r.l.
  Address:          Via Esempio 1
                    Milano
                    20100
                    MI
                    IT
  Created:          2017-10-04 00:06:41
  Last Update:      2017-10-04 00:06:41

Admin Contact
  Name:             hidden
  Organization:     hidden

Registrar
  Organization:     Campione S.p.A.
  Name:             CAMPIONE-REG
  Web:              https://www.registrar.example
  DNSSEC:           no


Nameservers
  ns1.example.it
  ns2.example.net
`,
    );
    expect(record).toMatchObject({
      created: { iso: '1999-12-10T00:00:00Z' },
      updated: { iso: '2025-10-04T00:10:40Z' },
      expires: { iso: '2026-10-02' },
      statuses: ['ok'],
      registrar: { name: 'Campione S.p.A.', url: 'https://www.registrar.example' },
      nameServers: ['ns1.example.it', 'ns2.example.net'],
      dnssec: { signed: false },
    });
    expect(record.contacts.registrant).toEqual({
      organization: 'Esempio S.r.l.',
      street: 'Via Esempio 1',
      city: 'Milano',
      postalCode: '20100',
      state: 'MI',
      countryCode: 'IT',
      countryName: 'Italy',
    });
    expect(record.redactions.map((it) => it.path)).toContain('contacts.administrative.name');
  });

  it('.nl: a registrar with its address, a technical contact by handle', () => {
    const record = read(
      'nl',
      `Domain name: example.nl
Status:      active

Reseller:
   Voorbeeld Hosting

Registrar:
   Monster Registrar B.V.
   Monsterstraat 1
   1234AB Monsterdam
   Netherlands

Abuse Contact:
   +31.201234567
   abuse@registrar.example

Creation Date: 1999-05-27

Updated Date: 2025-02-11

DNSSEC:      yes

Domain nameservers:
   ns1.example.nl       192.0.2.1
   ns2.example.net

Record maintained by: SIDN BV

Copyright notice
No part of this publication may be reproduced without prior permission.
`,
    );
    expect(record).toMatchObject({
      created: { iso: '1999-05-27' },
      updated: { iso: '2025-02-11' },
      registrar: { name: 'Monster Registrar B.V.' },
      nameServers: ['ns1.example.nl', 'ns2.example.net'],
      dnssec: { signed: true },
      statuses: ['active'],
      contacts: {
        abuse: { phone: '+31.201234567', email: 'abuse@registrar.example' },
        reseller: { name: 'Voorbeeld Hosting' },
      },
    });
  });

  it('.be and .eu: tabs, "not available" means taken, withheld registrants', () => {
    const be = read(
      'be',
      `% .be Whois Server 6.1
Domain:\texample.be
Status:\tNOT AVAILABLE
Registered:\tTue Dec 12 2000

Registrant:
\tNot shown, please visit www.dnsbelgium.be for webbased whois.

Registrar Technical Contacts:
\tOrganisation:\tSample NV
\tPhone:\t+32.21234567

Registrar:
\tName:\t Sample NV
\tWebsite: https://www.registrar.example

Nameservers:
\tns1.example.be (192.0.2.1)
\tns2.example.net

Keys:
\tkeyTag:12345 flags:KSK

Flags:
\tclientTransferProhibited

Please visit www.dnsbelgium.be for more info.
`,
    );
    expect(be).toMatchObject({
      created: { iso: '2000-12-12' },
      registrar: { name: 'Sample NV', url: 'https://www.registrar.example' },
      nameServers: ['ns1.example.be', 'ns2.example.net'],
      statuses: ['NOT AVAILABLE', 'clientTransferProhibited'],
      contacts: { technical: { organization: 'Sample NV' } },
      redactions: [{ path: 'contacts.registrant.name', basis: 'text' }],
    });
    const eu = read(
      'eu',
      `% The WHOIS service offered by EURid
Domain: example.eu
Script: LATIN

Registrant:
        NOT DISCLOSED!
        Visit www.eurid.eu for the web-based WHOIS.

Technical:
        Organisation: Sample NV
        Language: en
        Email: tech@registrar.example

Registrar:
        Name: Sample NV
        Website: https://www.registrar.example

Name servers:
        ns1.example.eu (192.0.2.1)
        ns1.example.eu (2001:db8::1)
        ns2.example.net

Please visit www.eurid.eu for more info.
`,
    );
    expect(eu).toMatchObject({
      nameServers: ['ns1.example.eu', 'ns2.example.net'],
      registrar: { name: 'Sample NV' },
      contacts: { technical: { organization: 'Sample NV', email: 'tech@registrar.example' } },
    });
    expect(eu.contacts.registrant).toBeUndefined();
  });

  it('.se: bare keys, a holder known by handle only', () => {
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

  it('.fi: dotted keys, day first with dots, blank lines after headers', () => {
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

  it('.dk and .no: headers without colon, objects with their own handles', () => {
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

  it('.ch: values below their keys; .at: persons by handle; .is and .ie: descriptions', () => {
    const ch = read(
      'ch',
      `Domain name:
example.ch

Holder of domain name:
Muster AG
Musterweg 1
CH-8000 Musterstadt
Switzerland

Registrar:
Beispiel Registrar AG

First registration date:
1999-11-25

DNSSEC:N

Name servers:
ns1.example.ch\t[192.0.2.1]
ns2.example.net
`,
    );
    expect(ch).toMatchObject({
      domain: 'example.ch',
      created: { iso: '1999-11-25' },
      registrar: { name: 'Beispiel Registrar AG' },
      nameServers: ['ns1.example.ch', 'ns2.example.net'],
      dnssec: { signed: false },
      contacts: {
        registrant: {
          name: 'Muster AG',
          street: 'Musterweg 1',
          postalCode: 'CH-8000',
          city: 'Musterstadt',
          countryCode: 'CH',
        },
      },
    });
    const at = read(
      'at',
      `domain:         example.at
registrar:      Beispiel GmbH ( https://nic.at/registrar/1 )
registrant:     EB1-NICAT
tech-c:         EB2-NICAT
nserver:        ns1.example.at
remarks:        192.0.2.1
nserver:        ns2.example.net
changed:        20250426 17:57:27
source:         AT-DOM

personname:     <data not disclosed>
organization:   Muster Betriebe
street address: Musterweg 1
postal code:    1010
city:           Wien
country:        Austria
nic-hdl:        EB1-NICAT
changed:        20110111 00:07:31
source:         AT-DOM

personname:     Ada Muster
organization:
nic-hdl:        EB2-NICAT
source:         AT-DOM
`,
    );
    expect(at).toMatchObject({
      updated: { iso: '2025-04-26T17:57:27Z' },
      registrar: { name: 'Beispiel GmbH' },
      nameServers: ['ns1.example.at', 'ns2.example.net'],
      contacts: {
        registrant: { organization: 'Muster Betriebe', countryCode: 'AT', city: 'Wien' },
        technical: { name: 'Ada Muster' },
      },
    });
    expect(at.redactions).toContainEqual({ path: 'contacts.registrant.name', basis: 'text' });
  });

  it('.pt: two languages in a key, day first as the key says', () => {
    const record = read(
      'pt',
      `Nome de domínio / Domain Name: example.pt
Data de registo / Creation Date (dd/mm/yyyy): 09/01/2003
Data de expiração / Expiration Date (dd/mm/yyyy): 08/02/2027
Estado / Status: ACTIVE

Titular / Registrant
   Exemplo, Lda.
   Rua do Exemplo 1
   Lisboa
   Email: dominios@example.pt

Entidade Gestora / Billing Contact
   Modelo Registos
   Email: registos@registrar.example

Nameserver Information
   Nameserver: example.pt\tNS\tns1.example.pt.
   Nameserver: example.pt\tNS\tns2.example.net.
`,
    );
    expect(record).toMatchObject({
      created: { iso: '2003-01-09' },
      expires: { iso: '2027-02-08' },
      nameServers: ['ns1.example.pt', 'ns2.example.net'],
      statuses: ['ACTIVE'],
      contacts: { registrant: { name: 'Exemplo, Lda.', email: 'dominios@example.pt' } },
    });
  });
});
