import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { numberRange } from './number-range.js';
import { readRpsl } from './rpsl.js';

const asked = (start: string) => numberRange(start, start)!;

describe('a port-43 text', () => {
  const of = (start: string, ...lines: string[]) => readRpsl(`${lines.join('\n')}\n`, asked(start));

  it.each([
    ['198.51.100.0 - 198.51.100.63', '198.51.0.0 - 198.51.255.255', '198.51.100.0'],
    ['2001:db8:1::/48', '2001:db8::/32', '2001:db8:1::'],
    ['AS64500', 'AS64496 - AS64511', '64500'],
  ])('yields its narrowest block, wherever the block is: %s', (narrow, wide, start) => {
    const name = narrow.startsWith('AS') ? 'aut-num' : 'inetnum';
    const narrowest = [`${name}: ${narrow}`, 'netname: NARROW', ''];
    const widest = [`${name}: ${wide}`, 'netname: WIDE', ''];
    expect(of(start, ...narrowest, ...widest)).toMatchObject({ start, name: 'NARROW' });
    expect(of(start, ...widest, ...narrowest)).toMatchObject({ start, name: 'NARROW' });
    expect(of(start, ...narrowest, `${name}: nonsense`)).toMatchObject({ name: 'NARROW' });
  });

  it('yields the owner, the people and the day of the last change at LACNIC', () => {
    const read = of(
      '200.3.12.1',
      'inetnum:     200.3.12/22',
      'status:      allocated',
      'owner:       Ejemplo SA',
      'ownerid:     EX-EJSA-LACNIC',
      'address:     Calle 1',
      'country:     UY',
      'created:     20020101',
      'changed:     20050131',
      '',
      'nic-hdl:     AAA',
      'person:      Ana Ejemplo',
      'e-mail:      ana@ejemplo.example',
    );
    expect(read).toMatchObject({
      start: '200.3.12.0',
      end: '200.3.15.255',
      countryCode: 'UY',
      updated: { iso: '2005-01-31' },
    });
    expect(read!.contacts).toMatchObject([
      { roles: ['registrant'], name: 'Ejemplo SA', handle: 'EX-EJSA-LACNIC', street: 'Calle 1' },
      { roles: ['technical'], name: 'Ana Ejemplo', handle: 'AAA', email: 'ana@ejemplo.example' },
    ]);
  });

  it('yields the newest of its changes at APNIC, unless the text states the time of the last change', () => {
    const lines = [
      'inetnum: 203.0.113.0 - 203.0.113.255',
      'changed: hm@apnic.example 20110304',
      'changed: hm@apnic.example 20010304',
    ];
    expect(of('203.0.113.1', ...lines)?.updated).toMatchObject({ iso: '2011-03-04' });
    expect(
      of('203.0.113.1', ...lines, 'last-modified: 2015-01-01T00:00:00Z')?.updated,
    ).toMatchObject({
      original: '2015-01-01T00:00:00Z',
    });
  });

  it('yields the country and the people of the block’s own organisation at ARIN', () => {
    const organisation = (name: string, country: string) => [
      `OrgName: ${name}`,
      `Country: ${country}`,
      '',
      `OrgAbuseHandle: ABUSE-${name}`,
      `OrgAbuseEmail: abuse@${name.toLowerCase()}.example`,
      '',
    ];
    const read = of(
      '198.51.100.7',
      'NetRange: 198.51.0.0 - 198.51.255.255',
      'OriginAS: AS64500',
      '',
      ...organisation('Carrier', 'US'),
      'NetRange: 198.51.100.0 - 198.51.100.255',
      'OriginAS: AS64501',
      '',
      ...organisation('Customer', 'ca'),
    );
    expect(read).toMatchObject({
      start: '198.51.100.0',
      countryCode: 'CA',
      originAsns: [64_501],
      contacts: [{ name: 'Customer' }, { handle: 'ABUSE-Customer' }],
      abuseContacts: [{ email: 'abuse@customer.example' }],
    });
  });

  it('yields the people of all blocks if they follow the last block', () => {
    const read = of(
      '203.0.113.1',
      'inetnum: 203.0.113.0 - 203.0.113.127',
      '',
      'inetnum: 203.0.113.0 - 203.0.113.255',
      '',
      'person: Ana Ejemplo',
    );
    expect(read).toMatchObject({ end: '203.0.113.127', contacts: [{ name: 'Ana Ejemplo' }] });
  });

  it('yields only data about the requested number, and ignores other blocks and routes', () => {
    const read = of(
      '198.51.100.7',
      'inetnum: 198.51.100.128 - 198.51.100.191',
      'netname: NEIGHBOUR',
      '',
      'inetnum: 198.51.100.0 - 198.51.100.127',
      'netname: OWN',
      '',
      'route: 198.51.100.0/24',
      'origin: AS64500 # since 2019',
      '',
      'route: 198.51.101.0/24',
      'origin: AS64501',
      '',
      'route6: 2001:db8::/32',
      'origin: AS64502',
    );
    expect(read).toMatchObject({ name: 'OWN', originAsns: [64_500] });
    expect(of('192.0.2.1', 'inetnum: 198.51.100.0 - 198.51.100.127')).toBeUndefined();
    expect(of('64500', 'aut-num: AS64501')).toBeUndefined();
    expect(of('::c000:201', 'inetnum: 192.0.2.0/24')).toBeUndefined();
  });

  it('yields values without comments, except for free text', () => {
    expect(
      of(
        '192.0.2.1',
        'inetnum: 192.0.2.0 - 192.0.2.255 # one block',
        'descr: Office #2, first floor',
        'country: EU # country is really world wide',
        'status: ASSIGNED PA # "status:" definitions',
        'origin: AS1.10',
      ),
    ).toMatchObject({
      start: '192.0.2.0',
      end: '192.0.2.255',
      descriptions: ['Office #2, first floor'],
      countryCode: 'EU',
      type: 'ASSIGNED PA',
      originAsns: [65_546],
    });
  });

  it('yields the customer of a block at ARIN, never the carrier that holds the larger block', () => {
    const carrier = [
      'NetRange: 198.51.0.0 - 198.51.255.255',
      'NetHandle: NET-1',
      '',
      'OrgName: Carrier',
      'Country: US',
      '',
    ];
    const block = ['NetRange: 198.51.100.0 - 198.51.100.63', 'NetHandle: NET-2', ''];
    const customer = ['CustName: Bakery', 'City: Toronto', 'Country: CA', ''];
    expect(of('198.51.100.7', ...carrier, ...block, ...customer)).toMatchObject({
      countryCode: 'CA',
      contacts: [{ roles: ['registrant'], name: 'Bakery', city: 'Toronto' }],
    });
    expect(of('198.51.100.7', ...block, ...carrier)).toMatchObject({ contacts: [] });
  });

  it('yields no holder and no person that only another block names, or that only sponsors the block', () => {
    const holder = (handle: string, name: string, country: string) => [
      `organisation: ${handle}`,
      `org-name: ${name}`,
      `country: ${country}`,
      '',
    ];
    const person = (handle: string) => [`person: ${handle}`, `nic-hdl: ${handle}`, ''];
    const block = ['inetnum: 203.0.113.0 - 203.0.113.127', 'org: OWN', 'sponsoring-org: SPONSOR'];
    const wide = ['inetnum: 203.0.113.0 - 203.0.113.255', 'org: WIDE', 'admin-c: P1', 'tech-c: P2'];
    const read = of(
      '203.0.113.1',
      ...block,
      'admin-c: P2',
      '',
      ...wide,
      '',
      ...holder('SPONSOR', 'Sponsor', 'DE'),
      ...holder('WIDE', 'Carrier', 'FR'),
      ...holder('OWN', 'Holder', 'NL'),
      ...person('P1'),
      ...person('P2'),
    );
    expect(read).toMatchObject({ countryCode: 'NL' });
    expect(read?.contacts.map(({ name, roles }) => [name, ...roles])).toEqual([
      ['Holder', 'registrant'],
      ['P2', 'administrative'],
    ]);
  });

  it('yields the origins of the narrowest routes that contain the requested address', () => {
    const route = (prefix: string, origin: string) => [`route: ${prefix}`, `origin: ${origin}`, ''];
    const read = of(
      '192.0.2.1',
      'inetnum: 192.0.2.0 - 192.0.2.255',
      '',
      ...route('192.0.0.0/16', 'AS64501'),
      ...route('192.0.2.0/24', 'AS64500'),
      ...route('192.0.2.0/24', 'AS64502'),
    );
    expect(read?.originAsns).toEqual([64_500, 64_502]);
  });

  it('assigns people the roles in which the block names them', () => {
    const person = (name: string, handle: string, email: string) => [
      `person: ${name}`,
      `nic-hdl: ${handle}`,
      `e-mail: ${email}`,
      '',
    ];
    const read = of(
      '192.0.2.1',
      'inetnum: 192.0.2.0 - 192.0.2.255',
      'org: ORG-EX1',
      'admin-c: ADA1',
      'tech-c: TIM1 # by night',
      'tech-c: ADA1',
      '',
      'organisation: ORG-EX1',
      'org-name: Example',
      'abuse-c: DESK1',
      '',
      ...person('Ada', 'ADA1', 'ada@x.example'),
      ...person('Tim', 'TIM1', 'tim@x.example'),
      ...person('Desk', 'desk1', 'desk@x.example'),
      ...person('Somebody', 'SOME1', 'some@x.example'),
    );
    expect(read?.contacts.map(({ name, roles }) => [name, roles])).toEqual([
      ['Example', ['registrant']],
      ['Ada', ['administrative', 'technical']],
      ['Tim', ['technical']],
      ['Desk', ['abuse']],
      ['Somebody', ['technical']],
    ]);
    expect(read?.abuseContacts).toEqual([{ email: 'desk@x.example', foundIn: 'e-mail' }]);
  });

  it('has the mailbox for abuse of its abuse contact, not its other address', () => {
    const read = of(
      '192.0.2.1',
      'inetnum: 192.0.2.0 - 192.0.2.255',
      'abuse-c: DESK1',
      'mnt-irt: IRT-EX',
      '',
      'irt: IRT-EX',
      'e-mail: team@x.example',
      'abuse-mailbox: irt@x.example',
      '',
      'role: Desk',
      'nic-hdl: DESK1',
      'e-mail: desk@x.example',
      'abuse-mailbox: abuse@x.example',
    );
    expect(read?.abuseContacts).toEqual([
      { email: 'irt@x.example', foundIn: 'irt' },
      { email: 'abuse@x.example', foundIn: 'abuse-mailbox' },
    ]);
  });

  it('S69: attributes of a port-43 text may be named like built-in members', () => {
    expect(
      of('193.0.0.1', 'inetnum: 193.0.0.0 - 193.0.0.255', '__proto__: x', 'constructor: y'),
    ).toMatchObject({ start: '193.0.0.0' });
  });

  it('S64: a port-43 text is parsed or rejected, whatever it contains', () => {
    const piece = fc.constantFrom(
      'inetnum: ',
      'aut-num:',
      'e-mail: a@b.example',
      '\n',
      '\n\n',
      '% ',
      ' + ',
      ':',
      '-',
    );
    fc.assert(
      fc.property(
        fc.array(fc.oneof(piece, fc.string({ maxLength: 12 })), { maxLength: 80 }),
        (parts) => {
          readRpsl(parts.join(''), asked('193.0.0.1'));
        },
      ),
      { numRuns: 500, seed: 20_261_122 },
    );
  });
});
