import { describe, expect, it } from '@jest/globals';
import type { RegistrationRecord } from '../../../record.js';
import { parseWhois } from '../parse-whois.js';

function read(tld: string, text: string): RegistrationRecord {
  const context = { domain: `example.${tld}`, server: '', tld, role: 'registry' as const };
  const { outcome, record } = parseWhois(text, context);
  expect(outcome).toBe('delivered');
  return record as RegistrationRecord;
}

describe('the parser reads the layouts of registries of Asia and the Pacific', () => {
  it('.jp: bracketed keys are read, and times in Japanese time', () => {
    const record = read(
      'jp',
      `[ JPRS database provides information on network administration. Its use is    ]
Domain Information:
[Domain Name]                   EXAMPLE.JP

[Registrant]                    Example K.K.

[Name Server]                   ns1.example.jp
[Name Server]                   ns2.example.net

[Created on]                    2001/03/26
[Expires on]                    2027/03/31
[Status]                        Active
[Last Updated]                  2025/04/01 01:12:57 (JST)

Contact Information:
[Name]                          Example Desk
[Email]                         desk@example.jp
[Postal code]                   100-0001
[Postal Address]                1-2-3, Mihon
                                Chiyoda-ku, Tokyo
`,
    );
    expect(record).toMatchObject({
      domain: 'example.jp',
      created: { iso: '2001-03-26' },
      expires: { iso: '2027-03-31' },
      updated: { iso: '2025-04-01T01:12:57+09:00' },
      nameServers: ['ns1.example.jp', 'ns2.example.net'],
      statuses: ['Active'],
      contacts: {
        registrant: {
          name: 'Example Desk',
          organization: 'Example K.K.',
          email: 'desk@example.jp',
        },
      },
    });
  });

  it('.co.jp: lettered items are read, and an expiry date within the state', () => {
    const record = read(
      'co.jp',
      `Domain Information:
a. [Domain Name]                EXAMPLE.CO.JP
g. [Organization]               Example K.K.
l. [Organization Type]          corporation
m. [Administrative Contact]     AE001JP
n. [Technical Contact]          AE002JP
p. [Name Server]                ns1.example.co.jp
p. [Name Server]                ns2.example.net
[State]                         Connected (2027/03/31)
[Registered Date]               2001/03/22
[Last Update]                   2025/04/01 00:00:00 (JST)
`,
    );
    expect(record).toMatchObject({
      domain: 'example.co.jp',
      created: { iso: '2001-03-22' },
      expires: { iso: '2027-03-31' },
      updated: { iso: '2025-04-01', precision: 'day' },
      statuses: ['Connected'],
      contacts: {
        registrant: { organization: 'Example K.K.' },
        administrative: { handle: 'AE001JP' },
        technical: { handle: 'AE002JP' },
      },
    });
  });

  it('.kr: a record in Korean and English is read, and dates with dots and spaces', () => {
    const record = read(
      'kr',
      `query : example.kr

도메인이름                  : example.kr
등록인                      : 주식회사 보기
책임자                      : 홍길동
책임자 전자우편             : desk@example.kr
등록일                      : 2007. 03. 02.
최근 정보 변경일            : 2025. 10. 04.
사용 종료일                 : 2027. 03. 02.
등록대행자                  : (주)등록(http://registrar.example)

1차 네임서버 정보
   호스트이름               : ns1.example.kr

Domain Name                 : example.kr
Registrant                  : Example Corp.
Registrant Address          : 1 Sample-ro, Seoul
Registrant Zip Code         : 04524
Administrative Contact(AC)  : Hong Gildong
AC E-Mail                   : desk@example.kr
AC Phone Number             : +82.200000000
Registered Date             : 2007. 03. 02.
Last Updated Date           : 2025. 10. 04.
Expiration Date             : 2027. 03. 02.
Authorized Agency           : Registry Agency Corp.(http://registrar.example)

Primary Name Server
   Host Name                : ns1.example.kr

Secondary Name Server
   Host Name                : ns2.example.net
`,
    );
    expect(record).toMatchObject({
      created: { iso: '2007-03-02' },
      updated: { iso: '2025-10-04' },
      expires: { iso: '2027-03-02' },
      nameServers: ['ns1.example.kr', 'ns2.example.net'],
      contacts: { administrative: { email: 'desk@example.kr', phone: '+82.200000000' } },
    });
    expect(record.registrar?.url).toBe('http://registrar.example');
  });

  it('.cn: registration and expiry times are read; .tw: phrases with dates are read', () => {
    const cn = read(
      'cn',
      `Domain Name: example.cn
ROID: 20030311s10001s00000000-cn
Domain Status: clientTransferProhibited
Registrant: 示例有限公司
Registrant Contact Email: desk@example.cn
Sponsoring Registrar: 示例注册商
Name Server: ns1.example.cn
Registration Time: 2003-03-17 12:20:05
Expiration Time: 2027-03-17 12:48:36
`,
    );
    expect(cn).toMatchObject({
      handle: '20030311s10001s00000000-cn',
      created: { iso: '2003-03-17T04:20:05Z' },
      expires: { iso: '2027-03-17T04:48:36Z' },
      registrar: { name: '示例注册商' },
      contacts: { registrant: { name: '示例有限公司', email: 'desk@example.cn' } },
    });
    const tw = read(
      'com.tw',
      `Domain Name: example.com.tw
   Domain Status: ok
   Registrant:
      Example Co., Ltd.
      Ada Example  ada@example.com.tw
      +886.200000000
      1 Sample Rd.
      Taipei,
      TW

   Administrative Contact:
      Ada Example  ada@example.com.tw

   Record expires on 2027-08-29 00:00:00 (UTC+8)
   Record created on 2000-08-28 12:00:00 (UTC+8)

   Domain servers in listed order:
      ns1.example.com.tw
      ns2.example.net

Registration Service Provider: Sample Registrar
Registration Service URL: http://registrar.example/
`,
    );
    expect(tw).toMatchObject({
      created: { iso: '2000-08-28T12:00:00+08:00' },
      expires: { iso: '2027-08-29T00:00:00+08:00' },
      registrar: { name: 'Sample Registrar' },
      nameServers: ['ns1.example.com.tw', 'ns2.example.net'],
      statuses: ['ok'],
      contacts: { registrant: { email: 'ada@example.com.tw', countryCode: 'TW' } },
    });
  });

  it('.hk and .sg: headers without values are read, and dates with the day first', () => {
    const hk = read(
      'hk',
      `

Domain Name:  EXAMPLE.HK

Domain Status: Active

Registrar Name: Sample Registrar Limited

Registrar Contact Information: Email: desk@registrar.example Hotline: +852.00000000

Registrant Contact Information:

Company English Name (It should be the same as the registered/corporation name): Example Limited
Company Chinese name:
Address: 1 Sample Road
Country: HK
Email: desk@example.hk
Domain Name Commencement Date: 06-04-2004
Expiry Date: 31-03-2027

Technical Contact Information:

Given name: ADA
Family name: EXAMPLE
Company name: Example Limited
Phone: +852-00000000

Name Servers Information:

NS1.EXAMPLE.HK
NS2.EXAMPLE.NET
`,
    );
    expect(hk).toMatchObject({
      created: { iso: '2004-04-06' },
      expires: { iso: '2027-03-31' },
      statuses: ['Active'],
      registrar: { name: 'Sample Registrar Limited' },
      nameServers: ['ns1.example.hk', 'ns2.example.net'],
      contacts: {
        registrant: { organization: 'Example Limited', countryCode: 'HK' },
        technical: { name: 'ADA EXAMPLE', organization: 'Example Limited' },
      },
    });
    const sg = read(
      'sg',
      `The following data is provided for information purposes only.

Registrar:              SAMPLE REGISTRAR

    Domain Name:            EXAMPLE.SG
    Creation Date:          03-Jan-2005 12:00:00
    Modified Date:          17-Dec-2024 18:07:42
    Expiration Date:        03-Jan-2027 00:00:00
    Domain Status:          OK
    Domain Status:          CLIENT TRANSFER PROHIBITED

    Registrant:

        Name:           EXAMPLE PTE LTD (SGNIC-ORG1000001)

    Technical Contact:

        Name:           ADA EXAMPLE (SGNIC-PER1000002)
        Email:          ada@example.sg

    Name Servers:
        NS1.EXAMPLE.SG          192.0.2.1
        NS2.EXAMPLE.NET
`,
    );
    expect(sg).toMatchObject({
      created: { iso: '2005-01-03T12:00:00Z' },
      updated: { iso: '2024-12-17T18:07:42Z' },
      statuses: ['ok', 'clientTransferProhibited'],
      nameServers: ['ns1.example.sg', 'ns2.example.net'],
      contacts: { technical: { email: 'ada@example.sg' } },
    });
  });

  it('.au: a registrant is read next to its contact; .nz: underscored keys are read', () => {
    const au = read(
      'com.au',
      `Domain Name: EXAMPLE.COM.AU
Registry Domain ID: D400000000000000000-AU
Registrar WHOIS Server: whois.auda.org.au
Registrar URL: https://www.registrar.example
Last Modified: 2025-11-05T10:35:59Z
Registrar Name: Sample Registrar Pty Ltd
Status: serverRenewProhibited https://identitydigital.au/get-au/whois-status-codes#serverRenewProhibited
Status Reason: Not Currently Eligible For Renewal
Registrant Contact ID: C1-AU
Registrant Contact Name: Ada Example
Tech Contact ID: C2-AU
Tech Contact Name: Ben Example
Name Server: ns1.example.com.au
Name Server: ns2.example.net
Registrant: Example Pty Ltd
Registrant ID: ABN 00000000000
Eligibility Type: Company
`,
    );
    expect(au).toMatchObject({
      updated: { iso: '2025-11-05T10:35:59Z' },
      statuses: ['serverRenewProhibited'],
      registrar: { name: 'Sample Registrar Pty Ltd' },
      contacts: {
        registrant: { name: 'Ada Example', organization: 'Example Pty Ltd', handle: 'C1-AU' },
        technical: { name: 'Ben Example' },
      },
    });
    const nz = read(
      'co.nz',
      `version: 8.7
query_datetime: 2025-06-25T21:14:20+12:00
domain_name: example.co.nz
query_status: 200 Active
domain_dateregistered: 1999-02-17T00:00:00+13:00
domain_datebilleduntil: 2027-02-17T00:00:00+13:00
domain_datelastmodified: 2025-01-16T23:20:24+13:00
domain_signed: no
%
registrar_name: Sample Registrar
%
registrant_contact_name: Example Ltd
registrant_contact_country: NZ (NEW ZEALAND)
%
ns_name_01: ns1.example.co.nz
ns_name_02: ns2.example.net
`,
    );
    expect(nz).toMatchObject({
      created: { iso: '1999-02-16T11:00:00Z' },
      updated: { iso: '2025-01-16T10:20:24Z' },
      registrar: { name: 'Sample Registrar' },
      nameServers: ['ns1.example.co.nz', 'ns2.example.net'],
      contacts: { registrant: { name: 'Example Ltd', countryCode: 'NZ' } },
    });
  });

  it('.il: a registrant is read from descriptions; .th: a holder is read from a header line and the lines below it', () => {
    const il = read(
      'co.il',
      `query:        example.co.il

reg-name:     example
domain:       example.co.il

descr:        Example Ltd
descr:        1 Sample Street
descr:        Tel Aviv
descr:        Israel
phone:        +972 3 0000000
e-mail:       desk AT example.co.il
admin-c:      DT-AE1-IL
nserver:      ns1.example.co.il
validity:     05-06-2027
DNSSEC:       unsigned
status:       Transfer Locked
changed:      registrar AT ns.il 19990605 (Assigned)
changed:      registrar AT ns.il 20240607 (Changed)

person:       Ada Example
address:      1 Sample Street
e-mail:       ada AT example.co.il
nic-hdl:      DT-AE1-IL
changed:      Managing Registrar 20170329

registrar name: Sample Registrar Ltd
registrar info: http://registrar.example
`,
    );
    expect(il).toMatchObject({
      expires: { iso: '2027-06-05' },
      updated: { iso: '2024-06-07' },
      registrar: { name: 'Sample Registrar Ltd', url: 'http://registrar.example' },
      contacts: {
        registrant: { name: 'Example Ltd', countryCode: 'IL' },
        administrative: { name: 'Ada Example', email: 'ada@example.co.il' },
      },
    });
    const th = read(
      'co.th',
      `Whois Server Version 2.1.0

Domain Name: EXAMPLE.CO.TH
Registrar: T.H.NIC Co., Ltd.
Name Server: NS1.EXAMPLE.CO.TH
DNSSEC: unsigned
Status: ACTIVE
Updated date: 07 Sep 2025
Created date: 08 Oct 2004
Exp date: 07 Oct 2027
Domain Holder: Example Co., Ltd.
1 Sample Road, Bangkok
10110
TH

Tech Contact: 13244
Sample Registrar
`,
    );
    expect(th).toMatchObject({
      created: { iso: '2004-10-08' },
      updated: { iso: '2025-09-07' },
      expires: { iso: '2027-10-07' },
      contacts: { registrant: { name: 'Example Co., Ltd.', countryCode: 'TH' } },
    });
  });
});
