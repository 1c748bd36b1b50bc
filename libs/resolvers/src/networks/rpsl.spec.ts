import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readRpsl } from './rpsl.js';

describe('a port-43 text', () => {
  const of = (...lines: string[]) => readRpsl(`${lines.join('\n')}\n`);

  it.each([
    ['198.51.100.0 - 198.51.100.63', '198.51.0.0 - 198.51.255.255', '198.51.100.0'],
    ['2001:db8:1::/48', '2001:db8::/32', '2001:db8:1::'],
    ['AS64500', 'AS64496 - AS64511', '64500'],
  ])('the narrowest block counts, wherever it is in the answer: %s', (narrow, wide, start) => {
    const name = narrow.startsWith('AS') ? 'aut-num' : 'inetnum';
    const narrowest = [`${name}: ${narrow}`, 'netname: NARROW', ''];
    const widest = [`${name}: ${wide}`, 'netname: WIDE', ''];
    expect(of(...narrowest, ...widest)).toMatchObject({ start, name: 'NARROW' });
    expect(of(...widest, ...narrowest)).toMatchObject({ start, name: 'NARROW' });
    expect(of(...narrowest, `${name}: nonsense`)).toMatchObject({ name: 'NARROW' });
  });

  it('at LACNIC has its owner, its people and the day of its last change', () => {
    const read = of(
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

  it('at APNIC uses the newest of its changes, unless the time of the last one is given', () => {
    const lines = [
      'inetnum: 203.0.113.0 - 203.0.113.255',
      'changed: hm@apnic.example 20110304',
      'changed: hm@apnic.example 20010304',
    ];
    expect(of(...lines)?.updated).toMatchObject({ iso: '2011-03-04' });
    expect(of(...lines, 'last-modified: 2015-01-01T00:00:00Z')?.updated).toMatchObject({
      original: '2015-01-01T00:00:00Z',
    });
  });

  it('at ARIN has the country and the people of the block’s own organisation', () => {
    const organisation = (name: string, country: string) => [
      `OrgName: ${name}`,
      `Country: ${country}`,
      '',
      `OrgAbuseHandle: ABUSE-${name}`,
      `OrgAbuseEmail: abuse@${name.toLowerCase()}.example`,
      '',
    ];
    const read = of(
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

  it('has the people of all blocks if they follow the last one', () => {
    const read = of(
      'inetnum: 203.0.113.0 - 203.0.113.127',
      '',
      'inetnum: 203.0.113.0 - 203.0.113.255',
      '',
      'person: Ana Ejemplo',
    );
    expect(read).toMatchObject({ end: '203.0.113.127', contacts: [{ name: 'Ana Ejemplo' }] });
  });

  it('S69: attributes named like built-in members are attributes', () => {
    expect(
      readRpsl(`inetnum: 193.0.0.0 - 193.0.0.255\n__proto__: x\nconstructor: y\n`),
    ).toMatchObject({ start: '193.0.0.0' });
  });

  it('S64: any text is read or rejected', () => {
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
          readRpsl(parts.join(''));
        },
      ),
      { numRuns: 2_000, seed: 20_261_122 },
    );
  });
});
