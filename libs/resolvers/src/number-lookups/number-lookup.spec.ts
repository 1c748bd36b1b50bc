import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { blocksOfRange, lastAddress, parseAddressBlock, parseAsn } from '#libs/domain-names';
import { LoopbackInternet } from '../loopback-internet.contract.js';
import { UpstreamLimiter } from '../limiter/upstream-limiter.js';
import { ParserWorker } from '../parser/parser-worker.js';
import { RdapClient } from '../rdap/rdap-client.js';
import { Port43Client } from '../whois/port43.js';
import { NumberLookups } from './number-lookup.js';
import { NumberRegistries } from '../networks/number-registries.js';

const NOW = new Date('2026-11-22T10:00:00Z');
const PATIENT = { connectMs: 60_000, firstByteMs: 60_000, wholeMs: 60_000 };
const card = (...properties: unknown[]) => [
  'vcard',
  [['version', {}, 'text', '4.0'], ...properties],
];

const NETWORK = {
  objectClassName: 'ip network',
  handle: '193.0.0.0 - 193.0.7.255',
  startAddress: '193.0.0.0',
  endAddress: '193.0.7.255',
  name: 'EXAMPLE-NET',
  type: 'ASSIGNED PA',
  country: 'nl',
  parentHandle: '193.0.0.0 - 193.0.23.255',
  status: ['active'],
  events: [{ eventAction: 'registration', eventDate: '2003-03-17T12:15:57Z' }],
  remarks: [{ description: ['Example network', 'Geofeed https://example.net/geofeed.csv'] }],
  entities: [
    { handle: 'ORG-EX1', roles: ['administrative'] },
    {
      handle: 'ORG-EX1',
      roles: ['registrant'],
      vcardArray: card(['fn', {}, 'text', 'Example Networks']),
      entities: [
        {
          handle: 'ABU1',
          roles: ['abuse'],
          vcardArray: card(
            ['fn', {}, 'text', 'Abuse desk'],
            ['email', {}, 'text', 'Abuse@Example.net'],
            ['email', {}, 'text', 'not an address'],
            ['tel', {}, 'uri', 'tel:+31.205354444;ext=9'],
          ),
        },
      ],
    },
  ],
};

const RPSL = `% This is a test database.\r
% Abuse contact for '193.0.0.0 - 193.0.7.255' is 'abuse@example.net'\r
\r
inetnum:        193.0.0.0 - 193.0.7.255\r
netname:        EXAMPLE-NET\r
descr:          Example network\r
                of two lines\r
country:        nl\r
org:            ORG-EX1\r
status:         ASSIGNED PA\r
created:        2003-03-17T12:15:57Z\r
last-modified:  2017-12-04T14:42:31Z\r
\r
organisation:   ORG-EX1\r
org-name:       Example Networks\r
e-mail:         office@example.net\r
\r
route:          193.0.0.0/21\r
origin:         AS64496\r
`;

const ARIN = `
#
# ARIN WHOIS data
#

NetRange:       8.0.0.0 - 8.127.255.255
CIDR:           8.0.0.0/9
NetName:        EXAMPLE-8
NetHandle:      NET-8-0-0-0-1
NetType:        Direct Allocation
OriginAS:       AS64500
RegDate:        1992-12-01
Updated:        2018-04-23

OrgName:        Example Carrier
OrgId:          EXC
Country:        US

OrgAbuseHandle: ABUSE1-ARIN
OrgAbuseName:   Abuse
OrgAbuseEmail:  abuse@carrier.example
`;

let internet: LoopbackInternet;
let lookups: NumberLookups;
let rdap: RdapClient;
const parser = new ParserWorker({ timeoutMs: 60_000 });

afterAll(() => parser.close());

beforeEach(() => {
  internet = new LoopbackInternet();
});

afterEach(async () => {
  await rdap.close();
  await internet.close();
});

function open(): void {
  const connector = internet.connector();
  rdap = new RdapClient(connector, PATIENT);
  lookups = new NumberLookups({
    registries: NumberRegistries.vendored(),
    rdap,
    port43: new Port43Client(connector, PATIENT),
    limiter: new UpstreamLimiter(),
    parser,
    clock: { now: () => NOW },
  });
}

function block(text: string) {
  const parsed = parseAddressBlock(text);
  if (!parsed.ok) throw new Error(text);
  return parsed.cidr;
}

const json = (object: unknown) => (_request: unknown, response: { end(text: string): void }) =>
  response.end(JSON.stringify(object));

describe('an address', () => {
  it('is looked up at its regional registry, and its abuse contact is found within another entity', async () => {
    await internet.rdap('rdap.db.ripe.net', json(NETWORK));
    open();
    const found = await lookups.lookUpBlock(block('193.0.6.139'));
    expect(internet.asked).toEqual(['rdap.db.ripe.net /ip/193.0.6.139']);
    expect(found).toMatchObject({
      outcome: 'delivered',
      registry: 'ripe',
      block: {
        start: '193.0.0.0',
        end: '193.0.7.255',
        name: 'EXAMPLE-NET',
        countryCode: 'NL',
        created: { iso: '2003-03-17T12:15:57Z' },
        geofeedUrl: 'https://example.net/geofeed.csv',
        abuseContacts: [{ email: 'abuse@example.net', foundIn: 'rdap_role' }],
      },
      sources: [{ id: 's1', protocol: 'rdap', server: 'https://rdap.db.ripe.net/' }],
    });
    expect(found.block?.contacts).toMatchObject([
      { handle: 'ORG-EX1', name: 'Example Networks', roles: ['administrative', 'registrant'] },
      { handle: 'ABU1', roles: ['abuse'], phones: ['+31.205354444'] },
    ]);
    expect(blocksOfRange(found.block?.start ?? '', found.block?.end ?? '')).toEqual([
      '193.0.0.0/21',
    ]);
  });

  it('has the holder that its registry names, not the account that maintains the entry', async () => {
    const maintainer = {
      handle: 'BIG-MNT',
      roles: ['registrant'],
      vcardArray: card(['fn', {}, 'text', 'BIG-MNT'], ['kind', {}, 'text', 'individual']),
    };
    await internet.rdap(
      'rdap.db.ripe.net',
      json({ ...NETWORK, entities: [maintainer, ...NETWORK.entities] }),
    );
    open();
    const { block: found } = await lookups.lookUpBlock(block('193.0.6.139'));
    const holders = found!.contacts.filter(({ roles }) => roles.includes('registrant'));
    expect(holders.map(({ name }) => name)).toEqual(['Example Networks']);
  });

  it('is looked up as a block if it is a block, and the addresses in the answer are formatted as in RFC 5952', async () => {
    await internet.rdap(
      'rdap.apnic.net',
      json({ ...NETWORK, startAddress: '2001:0200::/32', endAddress: '2001:200:FFFF:F::' }),
    );
    open();
    expect(await lookups.lookUpBlock(block('2001:0200:0::/33'))).toMatchObject({
      block: { start: '2001:200::', end: '2001:200:ffff:f::' },
    });
    expect(internet.asked).toEqual(['rdap.apnic.net /ip/2001:200::/33']);
  });

  it('is rejected with the reason if it is too large a block, and is never answered with a part of it', async () => {
    await internet.rdap('rdap.db.ripe.net', json(NETWORK));
    await internet.whois('whois.ripe.net', RPSL);
    open();
    const sizes = [
      ...Array.from({ length: 8 }, (_, length) => `0.0.0.0/${length}`),
      ...Array.from({ length: 12 }, (_, length) => `::/${length}`),
    ];
    for (const size of sizes) {
      const { outcome, reason } = await lookups.lookUpBlock(block(size));
      expect([size, outcome]).toEqual([size, 'unsupported']);
      expect(reason).toMatch(/Request a smaller block|No registry assigns/);
    }
    expect(internet.asked).toEqual([]);
    const wider = await lookups.lookUpBlock(block('193.0.0.0/20'));
    expect(wider.outcome).toBe('parse_failed');
    expect(wider.block).toBeUndefined();
  });

  it('is looked up on port 43, in RPSL, if RDAP does not answer', async () => {
    await internet.whois('whois.ripe.net', RPSL);
    open();
    const found = await lookups.lookUpBlock(block('193.0.6.139'));
    expect(internet.asked).toEqual(['whois.ripe.net 193.0.6.139\r\n']);
    expect(found).toMatchObject({
      outcome: 'delivered',
      block: {
        start: '193.0.0.0',
        end: '193.0.7.255',
        descriptions: ['Example network of two lines'],
        originAsns: [64_496],
        abuseContacts: [{ email: 'abuse@example.net', foundIn: 'comment' }],
        contacts: [{ handle: 'ORG-EX1', name: 'Example Networks', emails: ['office@example.net'] }],
      },
      sources: [{ outcome: 'unreachable' }, { outcome: 'delivered', protocol: 'whois43' }],
    });
  });

  it("is also read in ARIN's layout", async () => {
    await internet.whois('whois.arin.net', ARIN);
    open();
    const found = await lookups.lookUpBlock(block('8.8.8.8'));
    expect(internet.asked).toEqual(['whois.arin.net n + 8.8.8.8\r\n']);
    expect(found.block).toMatchObject({
      start: '8.0.0.0',
      end: '8.127.255.255',
      name: 'EXAMPLE-8',
      handle: 'NET-8-0-0-0-1',
      type: 'Direct Allocation',
      originAsns: [64_500],
      abuseContacts: [{ email: 'abuse@carrier.example', foundIn: 'orgabuseemail' }],
    });
  });

  it('is reported as not registered if it is not allocated, but never because of a rate limit', async () => {
    await internet.rdap('rdap.arin.net', (_request, response) => {
      response.writeHead(404, { 'content-type': 'application/rdap+json' });
      response.end(JSON.stringify({ errorCode: 404 }));
    });
    await internet.whois('whois.ripe.net', '%ERROR:201: access denied for 192.0.2.1\r\n');
    open();
    expect((await lookups.lookUpBlock(block('8.8.8.8'))).outcome).toBe('not_registered');
    expect((await lookups.lookUpBlock(block('193.0.0.1'))).outcome).toBe('throttled');
  });

  it.each([
    '% You have exceeded the limit of requests\r\n\r\n% No entries found\r\n',
    'Please slow down\r\nNo match found for 193.0.0.1\r\n',
    'Consultas excedidas, límite diario\r\nNo match for 193.0.0.1\r\n',
  ])('is never reported as not registered because of a limit in other words: %j', async (text) => {
    await internet.whois('whois.ripe.net', text);
    open();
    expect((await lookups.lookUpBlock(block('193.0.0.1'))).outcome).toBe('throttled');
  });

  it('is not answered with a block that does not contain it, by RDAP or on port 43', async () => {
    await internet.rdap('rdap.db.ripe.net', json(NETWORK));
    await internet.whois('whois.ripe.net', RPSL);
    open();
    const found = await lookups.lookUpBlock(block('193.0.8.1'));
    expect(internet.asked).toEqual([
      'rdap.db.ripe.net /ip/193.0.8.1',
      'whois.ripe.net 193.0.8.1\r\n',
    ]);
    expect(found.outcome).toBe('parse_failed');
    expect(found.block).toBeUndefined();
  });

  it("is not registered if the answer is a registry's entry for the whole address space", async () => {
    const everything = {
      ...NETWORK,
      startAddress: '0.0.0.0',
      endAddress: '255.255.255.255',
      name: 'IANA-BLK',
    };
    await internet.rdap('rdap.db.ripe.net', json(everything));
    await internet.whois('whois.apnic.net', 'inet6num: ::/0\r\nnetname: IANA-BLK\r\n');
    open();
    expect(await lookups.lookUpBlock(block('193.0.8.1'))).toMatchObject({
      outcome: 'not_registered',
    });
    expect(await lookups.lookUpBlock(block('2001:200::1'))).toMatchObject({
      outcome: 'not_registered',
    });
  });

  it('is not registered if its block has no holder', async () => {
    await internet.rdap('rdap.db.ripe.net', json({ ...NETWORK, type: 'UNALLOCATED' }));
    await internet.rdap(
      'rdap.apnic.net',
      json({ ...NETWORK, startAddress: '1.0.0.0', endAddress: '1.0.0.255', status: ['available'] }),
    );
    open();
    for (const text of ['193.0.6.139', '1.0.0.1']) {
      const found = await lookups.lookUpBlock(block(text));
      expect(found).toMatchObject({ outcome: 'not_registered' });
      expect(found.block).toBeUndefined();
    }
  });

  it.each([
    ['193.0.8.1', 'whois.ripe.net', 'netname: NON-RIPE-NCC-MANAGED-ADDRESS-BLOCK'],
    ['1.0.0.1', 'whois.apnic.net', 'netname: IANA-NETBLOCK-1'],
    ['153.2.0.1', 'whois.apnic.net', 'netname: ERX-NETBLOCK'],
    ['8.0.0.1', 'whois.arin.net', 'NetType: Early Registrations, Transferred to RIPE NCC'],
    ['8.0.0.1', 'whois.arin.net', 'NetType: Allocated to APNIC'],
  ])(
    '%s is not answered with an entry for numbers that other registries register, from %s',
    async (text, host, line) => {
      await internet.whois(host, `inetnum: ${text.split('.')[0]}.0.0.0/8\r\n${line}\r\n`);
      open();
      const { sources, block: none } = await lookups.lookUpBlock(block(text));
      expect([sources.at(-1)?.outcome, none]).toEqual(['parse_failed', undefined]);
    },
  );

  it.each([
    ['%ERROR:101: no entries found\r\n', 'not_registered'],
    ['No match found for 193.0.8.1.\r\n', 'not_registered'],
    ['% Unallocated resource: 193.0.8.1\r\n', 'not_registered'],
    ['% Error: the database host was not found\r\n', 'parse_failed'],
    ['<html><title>404 Not Found</title></html>', 'parse_failed'],
    ['% Please try again: no data found in the cache yet\r\n', 'throttled'],
  ])('is reported as not registered only if a line says so: %j', async (text, outcome) => {
    await internet.whois('whois.ripe.net', text);
    open();
    const { sources } = await lookups.lookUpBlock(block('193.0.8.1'));
    expect(sources.at(-1)).toMatchObject({ protocol: 'whois43', outcome });
  });

  it.each([
    ['10.1.2.3', 'Private use', '10.0.0.0', '10.255.255.255'],
    ['192.0.2.0/25', 'Documentation', '192.0.2.0', '192.0.2.255'],
    ['::1', 'Loopback', '::1', '::1'],
    ['100:0:0:1::5', 'Dummy prefix', '100:0:0:1::', '100::1:ffff:ffff:ffff:ffff'],
    ['2001:4:112::1', 'AS112', '2001:4:112::', '2001:4:112:ffff:ffff:ffff:ffff:ffff'],
    ['192.0.0.9', 'Port Control Protocol anycast', '192.0.0.9', '192.0.0.9'],
    ['fe80::/64', 'Link local', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['255.255.255.255', 'Limited broadcast', '255.255.255.255', '255.255.255.255'],
  ])('%s is answered without a query: %s', async (text, purpose, start, end) => {
    open();
    expect(await lookups.lookUpBlock(block(text))).toMatchObject({
      outcome: 'unsupported',
      special: { purpose },
      block: { start, end },
    });
    expect(internet.asked).toEqual([]);
  });

  it.each(['192.31.196.1', '192.175.48.0/24', '2620:4f:8000::1'])(
    '%s belongs to AS112, which is routed: ARIN is queried',
    async (text) => {
      const [startAddress] = text.split('/');
      const endAddress = lastAddress(block(text));
      const network = { ...NETWORK, startAddress, endAddress, name: 'EX-AS112' };
      await internet.rdap('rdap.arin.net', json(network));
      open();
      expect(await lookups.lookUpBlock(block(text))).toMatchObject({
        outcome: 'delivered',
        block: { name: 'EX-AS112' },
      });
    },
  );
});

describe('an AS number', () => {
  it('is looked up at the registry of its range', async () => {
    const autnum = { objectClassName: 'autnum', startAutnum: 3333, endAutnum: 3333, name: 'EX-AS' };
    await internet.rdap('rdap.db.ripe.net', json({ ...autnum, entities: NETWORK.entities }));
    open();
    expect(await lookups.lookUpAsn(3333)).toMatchObject({
      outcome: 'delivered',
      registry: 'ripe',
      block: { start: '3333', end: '3333', name: 'EX-AS' },
    });
    expect(internet.asked).toEqual(['rdap.db.ripe.net /autnum/3333']);
  });

  it.each(['0', 'AS23456', 'AS64512', '4294967295', 'AS65540'])(
    '%s is answered without a query',
    async (text) => {
      const parsed = parseAsn(text);
      open();
      const found = parsed.ok ? await lookups.lookUpAsn(parsed.asn) : undefined;
      expect(found).toMatchObject({ outcome: 'unsupported', block: { statuses: ['reserved'] } });
      expect(internet.asked).toEqual([]);
    },
  );
});
