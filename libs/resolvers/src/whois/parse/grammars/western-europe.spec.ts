import { describe, expect, it } from '@jest/globals';
import type { RegistrationRecord } from '../../../record.js';
import { parseWhois } from '../parse-whois.js';

function read(tld: string, text: string): RegistrationRecord {
  const context = { domain: `example.${tld}`, server: '', tld, role: 'registry' as const };
  const { outcome, record } = parseWhois(text, context);
  expect(outcome).toBe('delivered');
  return record as RegistrationRecord;
}

describe('the parser reads the layouts of registries of western Europe', () => {
  it('.de: a record without contacts is read, and a record with a contact below a bracketed header', () => {
    expect(read('de', 'Domain: example.de\nStatus: connect\n')).toMatchObject({
      domain: 'example.de',
      statuses: ['connect'],
    });
    const record = read(
      'de',
      `Domain: example.de
Nserver: ns1.example.de 192.0.2.1 2001:db8::1
Nserver: ns2.example.net
Status: connect
Changed: 2025-03-30T19:36:27+02:00

[Tech-C]
Name: Ada Example
Organisation: Example GmbH
Address: Musterweg 1
PostalCode: 12345
City: Musterstadt
CountryCode: DE
Phone: +49.301234567
Email: tech@example.de
Changed: 2011-03-11T00:04:49+01:00

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

  it('.fr: objects are joined by handle, and the registrar’s own date is not the domain’s', () => {
    const record = read(
      'fr',
      `%%

domain:      example.fr
status:      ACTIVE
holder-c:    EH1-FRNIC
admin-c:     AE2-FRNIC
tech-c:      AE2-FRNIC
registrar:   SAMPLE REGISTRAR
Expiry Date: 03/04/2027
created:     05/06/2000
last-update: 07/08/2025

nserver:     ns1.example.fr [192.0.2.1 2001:db8::1]
nserver:     ns2.example.net

registrar:   SAMPLE REGISTRAR
type:        Isp Option 1
address:     9 rue du Modele
country:     FR
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

  it('.it: indented sections are read, and addresses by position; dates within sections are not the domain’s', () => {
    const record = read(
      'it',
      `

Domain:             example.it
Status:             ok
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

  it('.nl: the reseller, the registrar’s name, and the abuse contact’s phone and e-mail are read', () => {
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

  it('.be and .eu: tabs are read, "not available" means taken, and registrants are withheld', () => {
    const be = read(
      'be',
      `Domain:\texample.be
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
      `Domain: example.eu

Registrant:
        NOT DISCLOSED!
        Visit www.eurid.eu for the web-based WHOIS.

Technical:
        Organisation: Sample NV
        Email: tech@registrar.example

Registrar:
        Name: Sample NV
        Website: https://www.registrar.example

Name servers:
        ns1.example.eu (192.0.2.1)
        ns1.example.eu (2001:db8::1)
        ns2.example.net

`,
    );
    expect(eu).toMatchObject({
      nameServers: ['ns1.example.eu', 'ns2.example.net'],
      registrar: { name: 'Sample NV' },
      contacts: { technical: { organization: 'Sample NV', email: 'tech@registrar.example' } },
    });
    expect(eu.contacts.registrant).toBeUndefined();
  });

  it('.ch: values are read below their keys; .at: contacts are joined by handle', () => {
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
nserver:        ns2.example.net
changed:        20250426 17:57:27

personname:     <data not disclosed>
organization:   Muster Betriebe
street address: Musterweg 1
postal code:    1010
city:           Wien
country:        Austria
nic-hdl:        EB1-NICAT
changed:        20110111 00:07:31

personname:     Ada Muster
organization:
nic-hdl:        EB2-NICAT
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

  it('.pt: keys in two languages are read, and dates with the day first if the key says so', () => {
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
