import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readRdapEntity } from './entity-record.js';
import { readJcard } from './jcard.js';
import { readRdapAutnum, readRdapNameServer, readRdapNetwork } from './network-record.js';
import { readRdapAnswer } from './rdap-answer.js';
import type { JsonObject } from './rdap-client.js';

const card = (name: string, email: string) => [
  'vcard',
  [
    ['fn', {}, 'text', name],
    ['email', {}, 'text', email],
  ],
];

/** A network in the layout of a regional registry, with invented content. */
const network = {
  objectClassName: 'ip network',
  handle: 'NET-192-0-2-0-1',
  startAddress: '192.0.2.0',
  endAddress: '192.0.2.191',
  ipVersion: 'v4',
  name: 'SAMPLE-NET',
  type: 'DIRECT ALLOCATION',
  country: 'de',
  parentHandle: 'NET-192-0-0-0-0',
  status: ['active'],
  port43: 'whois.registry.example',
  arin_originas0_originautnums: [64496, 'AS64497', 'x', -1],
  links: [{ rel: 'geofeed', href: 'https://example.net/geofeed.csv' }],
  events: [{ eventAction: 'registration', eventDate: '2001-02-03T04:05:06Z' }],
  remarks: [{ description: ['First line', 'Second line'] }],
  entities: [
    {
      handle: 'ORG-1',
      roles: ['registrant'],
      vcardArray: card('Sample Holdings', 'desk@example.net'),
      entities: [
        { handle: 'AB1', roles: ['abuse'], vcardArray: card('Abuse', 'abuse@example.net') },
      ],
    },
  ],
};

describe('an IP network', () => {
  it('comes with its range, its blocks, its holder and whoever takes complaints', () => {
    expect(readRdapNetwork(network)).toMatchObject({
      handle: 'NET-192-0-2-0-1',
      name: 'SAMPLE-NET',
      type: 'DIRECT ALLOCATION',
      countryCode: 'DE',
      startAddress: '192.0.2.0',
      endAddress: '192.0.2.191',
      version: 4,
      cidrs: ['192.0.2.0/25', '192.0.2.128/26'],
      originAsns: [64496, 64497],
      parentHandle: 'NET-192-0-0-0-0',
      geofeedUrl: 'https://example.net/geofeed.csv',
      whoisServer: 'whois.registry.example',
      created: { iso: '2001-02-03T04:05:06Z' },
      statuses: ['active'],
      remarks: ['First line', 'Second line'],
      contacts: {
        registrant: { handle: 'ORG-1', name: 'Sample Holdings' },
        abuse: { handle: 'AB1', email: 'abuse@example.net' },
      },
    });
  });

  it.each([
    [{ startAddress: '2001:0db8::', endAddress: '2001:db8::ffff' }, ['2001:db8::/112']],
    [{ startAddress: '192.000.002.000', endAddress: '192.0.2.255' }, ['192.0.2.0/24']],
    [
      {
        startAddress: undefined,
        endAddress: undefined,
        cidr0_cidrs: [
          { v4prefix: '192.0.2.0', length: 25 },
          { v4prefix: '192.0.2.128', length: 26 },
        ],
      },
      ['192.0.2.0/25', '192.0.2.128/26'],
    ],
    [{ startAddress: '192.0.2.0/24', endAddress: '192.0.2.255/24' }, ['192.0.2.0/24']],
  ])('reads addresses as servers write them: %j', (members, cidrs) => {
    expect(readRdapNetwork({ ...network, ...members })?.cidrs).toEqual(cidrs);
  });

  it.each([
    { startAddress: undefined },
    { startAddress: '192.0.2.0', endAddress: '2001:db8::' },
    { startAddress: '192.0.2.9', endAddress: '192.0.2.1' },
    { startAddress: '0x7f.1', endAddress: '0x7f.2' },
    { objectClassName: 'autnum' },
  ])('is none without a range: %j', (members) => {
    expect(readRdapNetwork({ ...network, ...members })).toBeUndefined();
  });

  it('S59: a geofeed is an https address of a named host', () => {
    for (const href of ['http://example.net/f', 'https://127.0.0.1/f', 'javascript:1', 7]) {
      const links = [{ rel: 'geofeed', href }];
      expect(readRdapNetwork({ ...network, links })?.geofeedUrl).toBeUndefined();
    }
  });
});

describe('an autonomous system', () => {
  it('is a number or a range of them', () => {
    const json = { objectClassName: 'autnum', handle: 'AS64496', name: 'SAMPLE-AS' };
    expect(readRdapAutnum(json)).toMatchObject({
      startAsn: 64496,
      endAsn: 64496,
      name: 'SAMPLE-AS',
    });
    const range = { ...json, startAutnum: 64496, endAutnum: '64511' };
    expect(readRdapAutnum(range)).toMatchObject({ startAsn: 64496, endAsn: 64511 });
    expect(readRdapAutnum({ ...json, startAutnum: 9, endAutnum: 1 })).toBeUndefined();
    expect(readRdapAutnum({ handle: 'SAMPLE' })).toBeUndefined();
  });
});

describe('a name server and an entity', () => {
  it('a name server has a host name and well-formed addresses', () => {
    const ipAddresses = { v4: ['192.0.2.1', '999.1.1.1'], v6: '2001:0DB8::1' };
    const json = { objectClassName: 'nameserver', ldhName: 'NS1.Example.NET.', ipAddresses };
    expect(readRdapNameServer(json)).toMatchObject({
      host: 'ns1.example.net',
      addresses: ['192.0.2.1', '2001:db8::1'],
    });
    expect(readRdapNameServer({ ldhName: 'not a host' })).toBeUndefined();
  });

  it('an entity has a contact, its numbers, and what it keeps back', () => {
    const json = {
      handle: '9999',
      vcardArray: [
        'vcard',
        [
          ['fn', {}, 'text', 'Sample Registrar'],
          ['email', {}, 'text', 'REDACTED FOR PRIVACY'],
        ],
      ],
      publicIds: [{ type: 'IANA Registrar ID', identifier: 9999 }],
    };
    expect(readRdapEntity(json)).toMatchObject({
      handle: '9999',
      contact: { name: 'Sample Registrar' },
      publicIds: { 'IANA Registrar ID': '9999' },
      redactions: [{ path: 'email', basis: 'text' }],
    });
    expect(readRdapEntity({})).toBeUndefined();
  });
});

describe('whatever a server sends', () => {
  const readers = [readRdapNetwork, readRdapAutnum, readRdapNameServer, readRdapEntity];

  it('never throws', () => {
    const members = [...Object.keys(network), 'startAutnum', 'ldhName', 'ipAddresses', 'publicIds'];
    const broken = fc
      .dictionary(fc.constantFrom(...members, 'cidr0_cidrs', '__proto__'), fc.jsonValue())
      .map((json): JsonObject => ({ ...network, objectClassName: undefined, ...json }));
    fc.assert(
      fc.property(broken, (json) => {
        for (const read of readers) expect(['object', 'undefined']).toContain(typeof read(json));
      }),
      { numRuns: 500 },
    );
    expect(readRdapAnswer('{', { domain: 'a.example', role: 'registry', isAbsent: false })).toEqual(
      {
        outcome: 'parse_failed',
      },
    );
  });

  it('S64: two megabytes in one text are cut before they are worked on', () => {
    const size = 2 * 1024 * 1024;
    const long = ['\n', 'a\n', ' ', '\u202e', ';ext=', 'é'].map((piece) =>
      piece.repeat(size / piece.length),
    );
    for (const text of long) {
      const properties = ['fn', 'org', 'tel', 'email', 'n'].map((name) => [name, {}, 'text', text]);
      const address = ['adr', { label: text, cc: text }, 'text', [text, text, [text], text]];
      const before = process.threadCpuUsage();
      readJcard(['vcard', [...properties, address, ['org', {}, 'text', [[text], [[text]]]]]]);
      readRdapNetwork({ ...network, name: text, remarks: [{ description: text }], country: text });
      const { user, system } = process.threadCpuUsage(before);
      expect((user + system) / 1000).toBeLessThan(50);
    }
  });
});
