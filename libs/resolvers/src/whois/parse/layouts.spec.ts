import { describe, expect, it } from '@jest/globals';
import { parseWhois } from './parse-whois.js';

const ANSWERS: readonly [tld: string, text: string, expected: object][] = [
  [
    'pt',
    `Domain: example.pt
Domain Status: Registered
Creation Date: 09/01/2003 00:00:00
Expiration Date: 28/02/2027 23:59:12
Owner Name: Exemplo LDA
Owner Address: Rua 1
Owner Locality: Lisboa
Owner ZipCode: 1000-001
Owner Locality ZipCode: Lisboa
Owner Country Code: PT
Owner Email: a@example.pt;b@example.pt
Admin Name: Modelo
Admin Email: x@registrar.example
Name Server: ns1.example.pt | IPv4: 192.0.2.1 and IPv6: 
Name Server: ns2.example.net | IPv4: and IPv6:
`,
    {
      created: { iso: '2003-01-09T00:00:00Z' },
      nameServers: ['ns1.example.pt', 'ns2.example.net'],
      contacts: {
        registrant: {
          name: 'Exemplo LDA',
          city: 'Lisboa',
          postalCode: '1000-001',
          email: 'a@example.pt',
        },
      },
    },
  ],
  [
    'sm',
    `Domain Name: example.sm
ID: 12
Registration date: 05/08/2003
Last Update: 12/09/2024
Status: Active

Owner:
  Ada Example
  Esempio S.p.A.
  Via Esempio 1
  San Marino
  47890
  San Marino
  Phone: +378.0549000000
  Fax: 
  Email: ada@example.sm

Technical Contact:
  Bea Example

DNS Servers:
  ns1.example.sm
  ns2.example.net
`,
    {
      created: { iso: '2003-08-05' },
      updated: { iso: '2024-09-12' },
      contacts: { registrant: { countryCode: 'SM', email: 'ada@example.sm' } },
    },
  ],
  [
    'tk',
    `
   Domain name:
      EXAMPLE.TK

   Organisation:
      Example Inc
      Ada Example
      1 Sample Street
      62701 Springfield
      Illinois
      United States of America
      Phone: +1-217-5550100
      E-mail: ada@example.tk

   Domain Nameservers:
      NS1.EXAMPLE.NET
      NS2.EXAMPLE.NET

   Domain registered: 05/23/2005
   Record will expire on: 05/23/2027
`,
    {
      domain: 'example.tk',
      created: { iso: '2005-05-23' },
      contacts: { registrant: { name: 'Example Inc', phone: '+1-217-5550100' } },
    },
  ],
  [
    'lu',
    `domainname:     example.lu
domaintype:     ACTIVE
nserver:        ns1.example.lu
nserver:        ns2.example.net
ownertype:      ORGANISATION
registered:     04/06/2003
org-name:       Exemple S.A.
org-address:    1 rue du Modele
org-zipcode:    L-1000
org-city:       Luxembourg
org-country:    LU
adm-name:       Ada Exemple
adm-email:      ada@example.lu
tec-name:       Ben Exemple
registrar-name: Modele S.A.
registrar-email: x@registrar.example
registrar-url:  https://registrar.example
registrar-country: LU
`,
    {
      statuses: ['ACTIVE'],
      registrar: { name: 'Modele S.A.' },
      contacts: { registrant: { name: 'Exemple S.A.' }, technical: { name: 'Ben Exemple' } },
    },
  ],
  [
    'si',
    `% This is ARNES whois database
domain:\t\texample.si
registrar:\tPrimer
registrar-url:\thttp://registrar.example
nameserver:\tns1.example.si
nameserver:\tns2.example.net
registrant:\tG100000
status:\t\tclient_update_prohibited
created:\t2005-04-04
expire:\t\t2027-07-19
source:\t\tARNES
`,
    {
      statuses: ['clientUpdateProhibited'],
      expires: { iso: '2027-07-19' },
      contacts: { registrant: { handle: 'G100000' } },
    },
  ],
  [
    'is',
    `domain:       example.is
registrant:   EX1-IS
admin-c:      EX2-IS
nserver:      ns1.example.is
dnssec:       unsigned delegation
created:      May 22 2002
expires:      May 22 2027
source:       ISNIC

role:         Daemi ehf
nic-hdl:      EX1-IS
address:      Daemigata 1
address:      IS-101 Reykjavik
phone:        +354 5550100
e-mail:       ada@example.is
created:      May 22 2002
source:       ISNIC
`,
    {
      created: { iso: '2002-05-22' },
      contacts: { registrant: { handle: 'EX1-IS', name: 'Daemi ehf' } },
    },
  ],
  [
    'bg',
    `DOMAIN NAME: example.bg (xn--e1afmkfd)
requested on: 10/11/1997 00:00:00 EET
activated on: 24/11/1997 00:00:00 EET
expires at: 01/02/2027 00:00:00 EET
registration status: busy, active

REGISTRANT:
  Primer OOD
  Primer ul. 1
  SOFIA, 1000
  BULGARIA
  tel: +359 2 000000

NAME SERVER INFORMATION:
ns1.example.bg (192.0.2.1)
ns2.example.net

DNSSEC: inactive
`,
    {
      created: { iso: '1997-11-24' },
      expires: { iso: '2027-02-01' },
      nameServers: ['ns1.example.bg', 'ns2.example.net'],
      statuses: ['busy', 'active'],
    },
  ],
  [
    'id',
    `Domain ID:PANDI-DO10000
Domain Name:EXAMPLE.CO.ID
Created On:2004-12-18 13:33:21
Last Updated On:2024-11-11 09:54:35
Expiration Date:2027-12-01 23:59:59
Status:clientTransferProhibited
Registrar Name:Contoh Registrar
Sponsoring Registrar Organization:PT Contoh
Sponsoring Registrar URL:https://registrar.example
Registrant Name:Ada Contoh
Registrant Street1:Jl. Contoh 1
Name Server:NS1.EXAMPLE.CO.ID
DNSSEC:Unsigned
`,
    {
      created: { iso: '2004-12-18T13:33:21Z' },
      registrar: { name: 'Contoh Registrar', organization: 'PT Contoh' },
    },
  ],
  [
    'gg',
    `Domain:
     example.gg

Domain Status:
     Active
     Transfer Prohibited by Registrar

Registrant:
     Example Ltd

Registrar:
     Sample Registrar (https://registrar.example)

Relevant dates:
     Registered on 30th April 2003 at 00:00:00.000
     Registry fee due on 30th April each year

Registration status:
     Registered until cancelled

Name servers:
     ns1.example.gg
     ns2.example.net


WHOIS lookup made on Sat, 18 Nov 2017 at 21:11:14 UTC
`,
    {
      domain: 'example.gg',
      created: { iso: '2003-04-30T00:00:00Z' },
      registrar: { name: 'Sample Registrar', url: 'https://registrar.example' },
      nameServers: ['ns1.example.gg', 'ns2.example.net'],
    },
  ],
];

describe('the general rules', () => {
  it.each(ANSWERS)('read the layout of .%s', (tld, text, expected) => {
    const context = { domain: `example.${tld}`, server: '', tld, role: 'registry' as const };
    expect(parseWhois(text, context)).toMatchObject({ outcome: 'delivered', record: expected });
  });

  it('an unknown key is understood by its words if its value agrees', () => {
    const { record } = parseWhois(
      `Domain: example.test
Date approved: 2001-02-03 10:11:12
Domain currently expires: 2027-02-03
Record changed on 3-Mar-2025
ns1_hostname: ns1.example.net
ns2_hostname: ns2.example.net
Current Nameservers:
  ns3.example.net
Registrar verified: 1999-01-01
Renewal fee: 12
`,
      { domain: 'example.test', server: '', tld: 'test', role: 'registry' },
    );
    expect(record).toMatchObject({
      created: { iso: '2001-02-03T10:11:12Z' },
      updated: { iso: '2025-03-03' },
      expires: { iso: '2027-02-03' },
      nameServers: ['ns1.example.net', 'ns2.example.net', 'ns3.example.net'],
    });
  });

  it('one date that proves the order of day and month decides the other dates, and no date is guessed', () => {
    const context = { domain: '', server: '', tld: 'test', role: 'registry' as const };
    const proven = parseWhois(
      'Domain: example.test\nCreated: 31/01/2001\nExpires: 03/04/2027',
      context,
    );
    expect(proven.record?.expires?.iso).toBe('2027-04-03');
    const unproven = parseWhois('Domain: example.test\nRegistrar: X\nExpires: 03/04/2027', context);
    expect(unproven.record?.expires).toBeUndefined();
  });
});
