import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { DomainLookup } from './domain-lookup.js';
import { LoopbackInternet } from './loopback/loopback-internet.js';
import { Politeness } from './politeness/politeness.js';
import { RdapClient } from './rdap/rdap-client.js';
import type { Lookup, Outcome } from './record.js';
import { Registries } from './registries/registries.js';
import { Port43Client } from './whois/port43.js';
import { ParserWorker } from './whois/parse/parser-worker.js';

const name = 'a.test';
const limits = { connectMs: 1_000, firstByteMs: 1_000, wholeMs: 2_000 };
const wide = { buckets: [{ burst: 1_000, perSecond: 1_000 }], connections: 4 };
const now = new Date('2026-11-21T10:00:00Z');

const parser = new ParserWorker();
afterAll(() => parser.close());

let internet: LoopbackInternet;
let closings: (() => Promise<void>)[];
beforeEach(() => {
  internet = new LoopbackInternet();
  closings = [() => internet.close()];
});
afterEach(async () => {
  for (const close of closings.toReversed()) await close();
});

function lookups(options: { politeness?: Politeness; rdap?: object; whois?: object } = {}) {
  const connector = internet.connector();
  const rdap = new RdapClient(connector, { ...limits, ...options.rdap });
  closings.push(() => rdap.close());
  return new DomainLookup({
    registries: new Registries({
      publishedOn: '2026-11-01',
      portsReadOn: '2026-11-01',
      rdap: { 'https://rdap.nic.test/v1/': ['test', 'rdaponly'] },
      whois: { 'whois.nic.test': ['test', 'whoisonly'] },
      tlds: ['test', 'rdaponly', 'whoisonly', 'silent'],
    }),
    rdap,
    port43: new Port43Client(connector, { ...limits, ...options.whois }),
    politeness: options.politeness ?? new Politeness({ defaultLimit: wide }),
    parser,
    clock: { now: () => now },
  });
}

const registrarUrl = 'https://rdap.registrar.test/domain/a.test';
/** An answer in the layout registries of generic top-level domains use. */
const said = (domain: string, more = '') =>
  `Domain Name: ${domain}\nCreation Date: 2001-02-03T04:05:06Z\n` +
  `Registry Expiry Date: 2030-02-03T04:05:06Z\nRegistrar: Example Registrar, Inc.\n${more}`;
const found = (related?: string): RequestListener => {
  const links = [{ rel: 'related', href: related, type: 'application/rdap+json' }];
  const json = { objectClassName: 'domain', ldhName: name, handle: 'D1', links };
  return (_request, response) => void response.end(JSON.stringify(json));
};
const registrarFound: RequestListener = (_request, response) => {
  const vcardArray = ['vcard', [['email', {}, 'text', 'owner@a.test']]];
  const entities = [{ roles: ['registrant'], vcardArray }];
  response.end(JSON.stringify({ objectClassName: 'domain', ldhName: name, entities }));
};
const status =
  (code: number, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    void response.writeHead(code, headers).end('{"errorCode":404}'.slice(0, code === 404 ? 99 : 0));

function told({ outcome, sources }: Lookup): [Outcome, ...string[]] {
  return [outcome, ...sources.map((s) => `${s.protocol} ${s.role} ${s.error ?? s.outcome}`)];
}

describe('a lookup', () => {
  it('asks the registry and then the registrar by RDAP, and merges what they say', async () => {
    await internet.rdap('rdap.nic.test', found(registrarUrl));
    await internet.rdap('rdap.registrar.test', registrarFound);
    const lookup = await lookups().lookup(name);
    expect(told(lookup)).toEqual([
      'delivered',
      'rdap registry delivered',
      'rdap registrar delivered',
    ]);
    expect(lookup).toMatchObject({
      domain: name,
      fetchedAt: now,
      record: { handle: 'D1', contacts: { registrant: { email: 'owner@a.test' } } },
      fields: { handle: 's1', 'contacts.registrant.email': 's2' },
      sources: [
        { id: 's1', server: 'https://rdap.nic.test/v1/', fetchedAt: now, httpStatus: 200 },
        { id: 's2', server: 'https://rdap.registrar.test/', raw: expect.stringContaining('vcard') },
      ],
    });
    expect(internet.asked).toEqual([
      'rdap.nic.test /v1/domain/a.test',
      'rdap.registrar.test /domain/a.test',
    ]);
  });

  it('follows one related link and no more', async () => {
    await internet.rdap('rdap.nic.test', found(registrarUrl));
    await internet.rdap('rdap.registrar.test', found('https://rdap.third.test/domain/a.test'));
    await internet.rdap('rdap.third.test', registrarFound);
    expect((await lookups().lookup(name)).sources).toHaveLength(2);
  });

  it('a link that leads back to the registry is not followed', async () => {
    await internet.rdap('rdap.nic.test', found('https://RDAP.nic.test/v1/domain/A.TEST'));
    expect(told(await lookups().lookup(name))).toEqual(['delivered', 'rdap registry delivered']);
  });

  it('a registrar that knows nothing of the name does not make it unregistered', async () => {
    await internet.rdap('rdap.nic.test', found(registrarUrl));
    await internet.rdap('rdap.registrar.test', status(404));
    const lookup = await lookups().lookup(name);
    expect(told(lookup)).toEqual([
      'delivered',
      'rdap registry delivered',
      'rdap registrar not_registered',
    ]);
    expect(lookup.record?.handle).toBe('D1');
  });

  it.each<[string, RequestListener, string]>([
    ['is throttled', status(429), 'http_429'],
    ['fails', status(500), 'http_500'],
    ['answers with a page', (_request, response) => void response.end('<html>'), 'not_rdap'],
  ])('a registrar that %s leaves a partial answer', async (_what, registrar, error) => {
    await internet.rdap('rdap.nic.test', found(registrarUrl));
    await internet.rdap('rdap.registrar.test', registrar);
    const lookup = await lookups().lookup(name);
    expect(told(lookup)).toEqual(['partial', 'rdap registry delivered', `rdap registrar ${error}`]);
    expect(lookup.record?.handle).toBe('D1');
  });

  it('what the registry has said is answered as partial when the time is over', async () => {
    await internet.rdap('rdap.nic.test', found(registrarUrl));
    await internet.rdap('rdap.registrar.test', () => undefined);
    const lookup = await lookups({ rdap: { firstByteMs: 10_000 } }).lookup(name, { budgetMs: 400 });
    expect(told(lookup)).toEqual([
      'partial',
      'rdap registry delivered',
      'rdap registrar cancelled',
    ]);
  });

  it('a name unknown to the registry is not registered, and nobody else is asked', async () => {
    await internet.rdap('rdap.nic.test', status(404));
    await internet.whois('whois.nic.test', said('a.test'));
    const lookup = await lookups().lookup(name);
    expect(told(lookup)).toEqual(['not_registered', 'rdap registry not_registered']);
    expect(lookup.record).toBeUndefined();
  });

  it.each<[string, RequestListener, string]>([
    ['is throttled', status(429), 'http_429'],
    ['fails', status(503), 'http_503'],
    ['answers 404 with a page', (_q, r) => void r.writeHead(404).end('<html>'), 'not_rdap'],
    ['answers about another name', (_q, r) => void r.end('{"ldhName":"b.test"}'), 'unreadable'],
  ])('a registry whose RDAP %s is asked on port 43', async (_what, rdap, error) => {
    await internet.rdap('rdap.nic.test', rdap);
    await internet.whois('whois.nic.test', said('a.test'));
    const lookup = await lookups().lookup(name);
    expect(told(lookup)).toEqual([
      'delivered',
      `rdap registry ${error}`,
      'whois43 registry delivered',
    ]);
  });

  it.each<[string, string, Outcome]>([
    ['No match for domain "A.WHOISONLY".\n', 'whois43 registry not_registered', 'not_registered'],
    ['Reserved by the registry', 'whois43 registry restricted', 'restricted'],
    [said('b.test'), 'whois43 registry other_name', 'parse_failed'],
    ['%&$', 'whois43 registry parse_failed', 'parse_failed'],
  ])('port 43 saying %j ends it', async (text, source, outcome) => {
    await internet.whois('whois.nic.test', text);
    expect(told(await lookups().lookup('a.whoisonly'))).toEqual([outcome, source]);
  });

  it('a broken-off answer never means "not registered"', async () => {
    await internet.whois('whois.nic.test', (socket) => socket.write('No match'));
    const lookup = await lookups({ whois: { wholeMs: 200 } }).lookup('a.whoisonly');
    expect(told(lookup)).toEqual(['parse_failed', 'whois43 registry answer_timeout']);
    expect(lookup.sources[0]).toMatchObject({ truncated: true, raw: 'No match' });
  });
});

describe('a name nobody holds', () => {
  const object = (members: object): RequestListener => {
    const json = { objectClassName: 'domain', ldhName: 'a.rdaponly', ...members };
    return (_request, response) => void response.end(JSON.stringify(json));
  };
  const says = (line: string) => [{ title: 'Status', description: [line] }];
  const registrar = { roles: ['registrar'], handle: '9999' };

  it.each<[object, string]>([
    [{ status: ['reserved'] }, 'reserved'],
    [{ status: ['registryReserved'], events: [{ eventAction: 'registration' }] }, 'reserved'],
    [{ status: ['premium name'] }, 'premium'],
    [{ status: ['server transfer prohibited', 'blocked'] }, 'blocked'],
    [{ status: 'Registration_Prohibited' }, 'blocked'],
    [{ remarks: says('This name has been reserved by the registry.') }, 'reserved'],
    [{ notices: says('Domain name is reserved') }, 'reserved'],
    [{ errorCode: 404, title: 'Not found', description: ['Reserved by the registry'] }, 'reserved'],
    [{ errorCode: 404, description: ['This is a premium domain name.'] }, 'premium'],
  ])('is restricted with the reason of %j', async (members, restriction) => {
    await internet.rdap('rdap.nic.test', object(members));
    const lookup = await lookups().lookup('a.rdaponly');
    expect(told(lookup)).toEqual(['restricted', 'rdap registry restricted']);
    expect(lookup.record?.restriction).toBe(restriction);
  });

  it.each<[string, object]>([
    ['has a registrar', { status: ['reserved'], entities: [registrar] }],
    ['has a registrant', { status: ['reserved'], entities: [{ roles: ['registrant'] }] }],
    ['is delegated', { status: ['reserved'], nameservers: [{ ldhName: 'ns.a.example' }] }],
    [
      'has a term',
      {
        status: ['reserved'],
        events: [{ eventAction: 'expiration', eventDate: '2030-01-01T00:00:00Z' }],
      },
    ],
    ['may only not be moved', { status: ['client transfer prohibited', 'renew prohibited'] }],
    ['comes with a copyright', { status: ['active'], notices: says('All rights reserved.') }],
    ['comes with rules', { handle: 'D1', notices: says('Your access is blocked if you flood us') }],
  ])('a name that %s is a registration', async (_what, members) => {
    await internet.rdap('rdap.nic.test', object(members));
    const lookup = await lookups().lookup('a.rdaponly');
    expect(lookup.outcome).toBe('delivered');
    expect(lookup.record).not.toHaveProperty('restriction');
  });

  it('a free name stays free, whatever the notices beside the error say', async () => {
    const notices = says('Some names are reserved for the registry');
    await internet.rdap('rdap.nic.test', object({ errorCode: 404, title: 'Not found', notices }));
    expect((await lookups().lookup('a.rdaponly')).outcome).toBe('not_registered');
  });

  it('what a registrar keeps back is no word about a registered name', async () => {
    await internet.rdap('rdap.nic.test', found(registrarUrl));
    await internet.rdap('rdap.registrar.test', object({ ldhName: name, status: ['reserved'] }));
    const lookup = await lookups().lookup(name);
    expect(lookup.outcome).toBe('delivered');
    expect(lookup.record).not.toHaveProperty('restriction');
  });
});

describe('an answer that is not whole', () => {
  const stall = (text: string) => (socket: Socket) => void socket.write(text);
  const budgetMs = 400;

  it('is partial with what had arrived when the time was over', async () => {
    await internet.whois('whois.nic.test', stall(`${said('a.whoisonly')}Name Server: ns1.exam`));
    const lookup = await lookups({ whois: { wholeMs: 9_000 } }).lookup('a.whoisonly', { budgetMs });
    expect(told(lookup)).toEqual(['partial', 'whois43 registry cancelled']);
    expect(lookup.record).toMatchObject({ created: { iso: '2001-02-03T04:05:06Z' } });
    expect(lookup.record?.nameServers).toEqual([]);
    expect(lookup.sources[0]).toMatchObject({
      truncated: true,
      raw: expect.stringMatching(/ns1\.exam$/),
    });
  });

  it.each(['% a comment\n', 'No match for domain "A.WHOISONLY".\n', 'Domain Name: a.who'])(
    'is a timeout when the time was over and no record had arrived, only %j',
    async (text) => {
      await internet.whois('whois.nic.test', stall(text));
      const patient = lookups({ whois: { wholeMs: 9_000 } });
      const lookup = await patient.lookup('a.whoisonly', { budgetMs });
      expect(told(lookup)).toEqual(['timeout', 'whois43 registry cancelled']);
      expect(lookup.retryAfterSeconds).toBeGreaterThan(0);
    },
  );

  it('says nothing when it is about another name', async () => {
    await internet.whois('whois.nic.test', stall(said('b.test')));
    const lookup = await lookups({ whois: { wholeMs: 300 } }).lookup('a.whoisonly');
    expect(told(lookup)).toEqual(['parse_failed', 'whois43 registry other_name']);
  });
});

describe('redirects', () => {
  const to: RequestListener = (_request, response) =>
    void response.writeHead(302, { location: 'https://rdap.other.test/domain/a.rdaponly' }).end();

  it('a host redirected to is asked in its own turn, and its throttle parks it alone', async () => {
    await internet.rdap('rdap.nic.test', to);
    await internet.rdap('rdap.other.test', status(429, { 'retry-after': '90' }));
    const politeness = new Politeness({ defaultLimit: wide });
    const lookup = lookups({ politeness });
    expect(await lookup.lookup('a.rdaponly')).toMatchObject({
      outcome: 'throttled',
      retryAfterSeconds: 90,
    });
    expect(politeness.parkedForMs('rdap.other.test')).toBeGreaterThan(80_000);
    expect(politeness.parkedForMs('rdap.nic.test')).toBe(0);
    const again = await lookup.lookup('a.rdaponly');
    expect(told(again)).toEqual(['throttled', 'rdap registry parked']);
    expect(internet.asked.map((asked) => asked.split(' ')[0])).toEqual([
      'rdap.nic.test',
      'rdap.other.test',
      'rdap.nic.test',
    ]);
  });

  it('every hop gives its turn back', async () => {
    await internet.rdap('rdap.nic.test', to);
    await internet.rdap('rdap.other.test', found());
    const single = { ...wide, connections: 1 };
    const lookup = lookups({ politeness: new Politeness({ defaultLimit: single }) });
    for (const label of ['a', 'b', 'c']) {
      const answer = await lookup.lookup(`${label}.rdaponly`, { budgetMs: 2_000 });
      expect(answer.sources.map(({ error }) => error)).toEqual(['unreadable']);
    }
    expect(internet.asked).toHaveLength(6);
  });
});

describe('upstreams that cannot be had', () => {
  it('a throttle in words is a throttle, and the upstream is left alone as long as it said', async () => {
    await internet.whois('whois.nic.test', 'Query limit exceeded. Try again in 120 seconds.\n');
    const lookup = lookups();
    const first = await lookup.lookup('a.whoisonly');
    expect(first).toMatchObject({ outcome: 'throttled', retryAfterSeconds: 120 });
    const second = await lookup.lookup('b.whoisonly');
    expect(told(second)).toEqual(['throttled', 'whois43 registry parked']);
    expect(second.retryAfterSeconds).toBeGreaterThan(100);
    expect(internet.asked).toHaveLength(1);
  });

  it('Retry-After of an RDAP service is told to the caller and kept to', async () => {
    await internet.rdap('rdap.nic.test', status(429, { 'retry-after': '77' }));
    const lookup = lookups();
    expect(await lookup.lookup('a.rdaponly')).toMatchObject({
      outcome: 'throttled',
      retryAfterSeconds: 77,
    });
    expect(told(await lookup.lookup('b.rdaponly'))).toEqual(['throttled', 'rdap registry parked']);
    expect(internet.asked).toHaveLength(1);
  });

  it.each(['999999999', 'Fri, 31 Dec 9999 23:59:59 GMT'])(
    'an upstream that asks for a wait until %s holds nobody up for more than an hour',
    async (retryAfter) => {
      await internet.rdap('rdap.nic.test', (_request, response) => {
        response.writeHead(429, { 'retry-after': retryAfter }).end();
      });
      const { outcome, retryAfterSeconds } = await lookups().lookup('a.rdaponly');
      expect([outcome, retryAfterSeconds]).toEqual(['throttled', 3_600]);
    },
  );

  it('silence is a timeout, a closed door is not, and both may be tried again', async () => {
    await internet.whois('whois.nic.test', () => undefined);
    const silent = await lookups({ whois: { firstByteMs: 50 } }).lookup('a.whoisonly');
    expect(told(silent)).toEqual(['timeout', 'whois43 registry first_byte_timeout']);
    expect(silent.retryAfterSeconds).toBeGreaterThan(0);
    const nobody = await lookups().lookup('a.rdaponly');
    expect(told(nobody)).toEqual(['unreachable', 'rdap registry unresolved']);
    expect(nobody.retryAfterSeconds).toBeGreaterThan(0);
  });

  it('a top-level domain nobody answers for is unsupported, with the reason, and nobody is asked', async () => {
    expect(await lookups().lookup('a.silent')).toMatchObject({
      outcome: 'unsupported',
      reason: expect.stringContaining('publishes no machine-readable'),
      sources: [],
    });
    expect(await lookups().lookup('a.nosuch')).toMatchObject({
      outcome: 'unsupported',
      reason: expect.stringContaining('no top-level domain'),
    });
  });
});

describe('referrals on port 43', () => {
  const refers = (to: string) => said('a.whoisonly', `Registrar WHOIS Server: ${to}\n`);
  const servers = (lookup: Lookup) => lookup.sources.map(({ server }) => server);

  it('the registrar a registry names is asked', async () => {
    await internet.whois('whois.nic.test', refers('http://WHOIS.registrar.test/'));
    const answer = `${refers('whois.registrar.test')}Registrant Email: owner@a.test\n`;
    await internet.whois('whois.registrar.test', answer);
    const lookup = await lookups().lookup('a.whoisonly');
    expect(lookup).toMatchObject({ outcome: 'delivered', fields: { domain: 's1' } });
    expect(lookup.record?.contacts.registrant?.email).toBe('owner@a.test');
    expect(servers(lookup)).toEqual(['whois.nic.test', 'whois.registrar.test']);
  });

  it('S58: of a chain of fifty referrals two are followed', async () => {
    await internet.whois('whois.nic.test', refers('whois.hop1.test'));
    for (let hop = 1; hop <= 50; hop += 1) {
      await internet.whois(`whois.hop${hop}.test`, refers(`whois.hop${hop + 1}.test`));
    }
    expect(servers(await lookups().lookup('a.whoisonly'))).toEqual([
      'whois.nic.test',
      'whois.hop1.test',
      'whois.hop2.test',
    ]);
  });

  it('S58: servers that refer to themselves or to each other are asked once', async () => {
    await internet.whois('whois.nic.test', refers('whois.loop.test'));
    await internet.whois('whois.loop.test', refers('whois.nic.test'));
    const lookup = await lookups().lookup('a.whoisonly');
    expect(servers(lookup)).toEqual(['whois.nic.test', 'whois.loop.test']);
    expect(internet.asked).toHaveLength(2);
  });

  it.each([
    'whois.nic.test',
    '127.0.0.1',
    '127.1',
    '0x7f.0.0.1',
    '[::1]:43',
    '169.254.169.254',
    'localhost',
    'whois.registrar.test:6379',
    'whois.dotmobiregistry.net',
  ])('S58: a referral to %s is not followed', async (target) => {
    await internet.whois('whois.nic.test', refers(target));
    await internet.whois('whois.registrar.test', refers('whois.registrar.test'));
    const lookup = await lookups().lookup('a.whoisonly');
    expect(told(lookup)).toEqual(['delivered', 'whois43 registry delivered']);
    expect(internet.asked).toEqual(['whois.nic.test a.whoisonly\r\n']);
  });
});

describe('lookups at the same time', () => {
  it('questions about one name share one lookup and get one answer', async () => {
    await internet.whois('whois.nic.test', said('a.whoisonly'));
    const lookup = lookups();
    const answers = await Promise.all([1, 2, 3].map(() => lookup.lookup('a.whoisonly')));
    expect(internet.asked).toHaveLength(1);
    expect(new Set(answers).size).toBe(1);
    await lookup.lookup('a.whoisonly');
    expect(internet.asked).toHaveLength(2);
    expect(lookup.counts).toMatchObject({ started: 2, joined: 2 });
    const [source] = lookup.counts.sources;
    expect(source).toMatchObject({ protocol: 'whois43', role: 'registry', outcome: 'delivered' });
    expect(source.seconds.counts.reduce((sum, count) => sum + count)).toBe(2);
  });

  it('one caller that goes away does not end the lookup of another', async () => {
    const { promise: asked, resolve: hasAsked } = Promise.withResolvers<Socket>();
    await internet.whois('whois.nic.test', hasAsked);
    const lookup = lookups();
    const controller = new AbortController();
    const leaving = lookup.lookup('a.whoisonly', { signal: controller.signal });
    const staying = lookup.lookup('a.whoisonly');
    const socket = await asked;
    controller.abort();
    await expect(leaving).rejects.toThrow('aborted');
    socket.end(said('a.whoisonly'));
    expect((await staying).outcome).toBe('delivered');
  });

  it('a lookup nobody waits for any more closes its connection, and the next starts anew', async () => {
    const { promise: asked, resolve: hasAsked } = Promise.withResolvers<Socket>();
    let count = 0;
    await internet.whois('whois.nic.test', (socket) => {
      count += 1;
      if (count === 1) hasAsked(socket);
      else socket.end(said('a.whoisonly'));
    });
    const lookup = lookups();
    const controller = new AbortController();
    const leaving = lookup.lookup('a.whoisonly', { signal: controller.signal });
    const socket = await asked;
    const closed = new Promise((resolve) => socket.on('close', resolve));
    controller.abort();
    await expect(leaving).rejects.toThrow('aborted');
    const next = lookup.lookup('a.whoisonly');
    await closed;
    expect((await next).outcome).toBe('delivered');
  });

  it('an aborted signal asks nobody', async () => {
    const signal = AbortSignal.abort();
    await expect(lookups().lookup(name, { signal })).rejects.toThrow('aborted');
    expect(internet.asked).toEqual([]);
  });

  it('a person does not wait behind the bulk lookup of the same name', async () => {
    const politeness = new Politeness({
      defaultLimit: { buckets: [{ burst: 1, perSecond: 20 }], connections: 1 },
    });
    await internet.whois('whois.nic.test', said('a.whoisonly'));
    const lookup = lookups({ politeness });
    const order: string[] = [];
    const ask = (priority: 'bulk' | 'live', what: string) =>
      lookup.lookup(what, { priority }).then(() => order.push(priority));
    await Promise.all([
      ask('bulk', 'b.whoisonly'),
      ask('bulk', 'a.whoisonly'),
      ask('live', 'a.whoisonly'),
    ]);
    expect(order).toEqual(['bulk', 'live', 'bulk']);
  });
});
