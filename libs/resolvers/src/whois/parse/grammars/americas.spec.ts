import { describe, expect, it } from '@jest/globals';
import type { RegistrationRecord } from '../../../record.js';
import { parseWhois } from '../parse-whois.js';

function read(tld: string, text: string): RegistrationRecord {
  const context = { domain: `example.${tld}`, server: '', tld, role: 'registry' as const };
  const { outcome, record } = parseWhois(text, context);
  expect(outcome).toBe('delivered');
  return record as RegistrationRecord;
}

describe('the parser reads the layouts of American registries', () => {
  it('.br: an owner with a handle and compact dates are read', () => {
    const record = read(
      'com.br',
      `% Copyright (c) Nic.br

domain:      example.com.br
owner:       Exemplo Ltda
ownerid:     00.000.000/0001-00
responsible: Ada Exemplo
country:     BR
owner-c:     AEX12
tech-c:      AEX12
nserver:     ns1.example.com.br 192.0.2.1
nsstat:      20251116 AA
nslastaa:    20251116
nserver:     ns2.example.net
created:     19990518 #162310
changed:     20250427
expires:     20260518
status:      published

nic-hdl-br:  AEX12
person:      Ada Exemplo
e-mail:      ada@example.com.br
country:     BR
created:     20100520
changed:     20170103
`,
    );
    expect(record).toMatchObject({
      created: { iso: '1999-05-18', original: '19990518 #162310', precision: 'day' },
      updated: { iso: '2025-04-27' },
      expires: { iso: '2026-05-18' },
      nameServers: ['ns1.example.com.br', 'ns2.example.net'],
      statuses: ['published'],
      contacts: {
        registrant: { handle: 'AEX12', name: 'Ada Exemplo', organization: 'Exemplo Ltda' },
        technical: { handle: 'AEX12', email: 'ada@example.com.br' },
      },
    });
  });

  it('.ar: the registrant is read from the object with its handle', () => {
    const record = read(
      'com.ar',
      `domain:\t\texample.com.ar
registrant:\t20000000001
registrar:\tnicar
registered:\t1999-06-08 00:00:00
changed:\t\t2025-06-10 12:24:16.665400
expire:\t\t2026-07-08 00:00:00

contact:\t20000000001
name:\t\tEJEMPLO S.A.
registrar:\tnicar
created:\t2013-10-29 00:00:00
changed:\t2019-10-08 13:41:57.147735

nserver:\tns1.example.com.ar ()
nserver:\tns2.example.net ()
registrar:\tnicar
created:\t2016-07-01 00:46:15.070731
`,
    );
    expect(record).toMatchObject({
      created: { iso: '1999-06-08T00:00:00Z' },
      updated: { iso: '2025-06-10T12:24:16Z' },
      expires: { iso: '2026-07-08T00:00:00Z' },
      registrar: { name: 'nicar' },
      nameServers: ['ns1.example.com.ar', 'ns2.example.net'],
      contacts: { registrant: { handle: '20000000001', name: 'EJEMPLO S.A.' } },
    });
  });

  it('.ca: the old sections are read, and dates with the year first', () => {
    const record = read(
      'ca',
      `Domain name:           example.ca
Domain status:         registered
Creation date:         2000/10/03
Expiry date:           2027/04/28
Updated date:          2025/02/13

Registrar:
    Name:              Sample Registrar Canada Ltd.
    Number:            5000040

Registrant:
    Name:              Example Inc.

Administrative contact:
    Name:              Ada Example
    Postal address:    1 Sample Street, Suite 2,
                       Toronto ON M5X1E3 Canada
    Phone:             +1.4165550100
    Email:             ada@example.ca

Name servers:
    ns1.example.ca
    ns2.example.net
`,
    );
    expect(record).toMatchObject({
      created: { iso: '2000-10-03' },
      expires: { iso: '2027-04-28' },
      updated: { iso: '2025-02-13' },
      statuses: ['registered'],
      registrar: { name: 'Sample Registrar Canada Ltd.' },
      nameServers: ['ns1.example.ca', 'ns2.example.net'],
      contacts: {
        registrant: { name: 'Example Inc.' },
        administrative: { name: 'Ada Example', email: 'ada@example.ca' },
      },
    });
  });

  it('.mx: Spanish month names are read; .cl: times in the local time zone are read', () => {
    const mx = read(
      'com.mx',
      `Domain Name:       example.com.mx

Created On:        1997-04-16
Expiration Date:   15-abr-2027
Last Updated On:   31-mar-2025
Registrar:         Ejemplo MX
URL:               http://registrar.example

Registrant:
   Name:           Ejemplo S.A. de C.V.
   City:           Mexico
   State:          Distrito Federal
   Country:        Mexico

Name Servers:
   DNS:            ns1.example.com.mx       192.0.2.1
   DNS:            ns2.example.net

DNSSEC DS Records:
`,
    );
    expect(mx).toMatchObject({
      created: { iso: '1997-04-16' },
      expires: { iso: '2027-04-15' },
      updated: { iso: '2025-03-31' },
      registrar: { name: 'Ejemplo MX', url: 'http://registrar.example' },
      nameServers: ['ns1.example.com.mx', 'ns2.example.net'],
      contacts: { registrant: { name: 'Ejemplo S.A. de C.V.', countryCode: 'MX' } },
    });
    const cl = read(
      'cl',
      `%%
%% This is the NIC Chile Whois server (whois.nic.cl).
%%

Domain name: example.cl
Registrant name: Ejemplo SpA
Registrant organisation:
Registrar name: Ejemplo Registros
Registrar URL: https://www.registrar.example
Creation date: 1997-09-16 17:02:01 CLST
Expiration date: 2026-11-20 14:48:02 CLST
Name server: ns1.example.cl
Name server: ns2.example.net
`,
    );
    expect(cl).toMatchObject({
      created: { iso: '1997-09-16T20:02:01Z' },
      expires: { iso: '2026-11-20T17:48:02Z' },
      registrar: { name: 'Ejemplo Registros', url: 'https://www.registrar.example' },
      contacts: { registrant: { name: 'Ejemplo SpA' } },
    });
  });

  it('.edu: unlabelled blocks are read by the form of each line', () => {
    const record = read(
      'edu',
      `This Registry database contains ONLY .EDU domains.

--------------------------

Domain Name: EXAMPLE.EDU

Registrant:
\tExample College
\t1 Sample Street
\tSpringfield, IL 62701
\tUSA

Administrative Contact:
\tAda Example
\t1 Sample Street
\tSpringfield, IL 62701
\tUSA
\t+1.2175550100
\tada@example.edu

Technical Contact:
\tSame Example
\ttech@example.edu

Name Servers:
\tNS1.EXAMPLE.EDU      192.0.2.1
\tNS2.EXAMPLE.NET

Domain record activated:    10-May-1999
Domain record last updated: 04-Apr-2025
Domain expires:             31-Jul-2027
`,
    );
    expect(record).toMatchObject({
      created: { iso: '1999-05-10' },
      updated: { iso: '2025-04-04' },
      expires: { iso: '2027-07-31' },
      nameServers: ['ns1.example.edu', 'ns2.example.net'],
      contacts: {
        registrant: {
          organization: 'Example College',
          street: '1 Sample Street',
          city: 'Springfield',
          state: 'IL',
          postalCode: '62701',
          countryCode: 'US',
        },
        administrative: {
          name: 'Ada Example',
          phone: '+1.2175550100',
          email: 'ada@example.edu',
        },
        technical: { name: 'Same Example', email: 'tech@example.edu' },
      },
    });
  });

  it('an old-style registrar’s phrases with a date, without a colon, are read', () => {
    const context = { domain: 'example.com', server: 'whois.registrar.example', tld: 'com' };
    const { record } = parseWhois(
      `Registrant:
   Example Inc.
   1 Sample Street
   Springfield, IL 62701
   US

   Domain Name: EXAMPLE.COM

   Administrative Contact:
      Example, Ada   ada@example.com
      +1 217 555 0100

   Record expires on 12-Jan-2027.
   Record created on 11-Jan-1999.
   Database last updated on 3-Mar-2025 10:11:12 EST.

   Domain servers in listed order:

   NS1.EXAMPLE.NET    192.0.2.1
   NS2.EXAMPLE.NET    192.0.2.2
`,
      { ...context, role: 'registrar' },
    );
    expect(record).toMatchObject({
      domain: 'example.com',
      created: { iso: '1999-01-11' },
      expires: { iso: '2027-01-12' },
      nameServers: ['ns1.example.net', 'ns2.example.net'],
      contacts: {
        registrant: { name: 'Example Inc.', countryCode: 'US' },
        administrative: { name: 'Example, Ada', email: 'ada@example.com' },
      },
    });
  });
});
