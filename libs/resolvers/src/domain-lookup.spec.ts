import { describe, expect, it } from '@jest/globals';
import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { withEnoughTime } from '#test/environment';
import {
  LookupHarness,
  found,
  hasNotHeard,
  name,
  now,
  registrarFound,
  registrarUrl,
  said,
  status,
  told,
} from './lookup-harness.contract.js';
import { UpstreamLimiter } from './limiter/upstream-limiter.js';
import type { Lookup, LookupOutcome } from './record.js';

const harness = LookupHarness.forEachTest();

describe('a lookup', () => {
  it('queries the registry and then the registrar by RDAP, and merges their answers', async () => {
    await harness.internet.rdap('rdap.nic.test', found(registrarUrl));
    await harness.internet.rdap('rdap.registrar.test', registrarFound);
    const lookup = await harness.lookups().lookup(name);
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
    expect(harness.internet.asked).toEqual([
      'rdap.nic.test /v1/domain/a.test',
      'rdap.registrar.test /domain/a.test',
    ]);
  });

  it('follows one related link and no more', async () => {
    await harness.internet.rdap('rdap.nic.test', found(registrarUrl));
    await harness.internet.rdap(
      'rdap.registrar.test',
      found('https://rdap.third.test/domain/a.test'),
    );
    await harness.internet.rdap('rdap.third.test', registrarFound);
    expect((await harness.lookups().lookup(name)).sources).toHaveLength(2);
  });

  it('a link back to the registry is not followed', async () => {
    await harness.internet.rdap('rdap.nic.test', found('https://RDAP.nic.test/v1/domain/A.TEST'));
    expect(told(await harness.lookups().lookup(name))).toEqual([
      'delivered',
      'rdap registry delivered',
    ]);
  });

  it('if a registrar does not know the name, the name still counts as registered', async () => {
    await harness.internet.rdap('rdap.nic.test', found(registrarUrl));
    await harness.internet.rdap('rdap.registrar.test', status(404));
    const lookup = await harness.lookups().lookup(name);
    expect(told(lookup)).toEqual([
      'delivered',
      'rdap registry delivered',
      'rdap registrar not_registered',
    ]);
    expect(lookup.record?.handle).toBe('D1');
  });

  it.each<[string, RequestListener, string]>([
    ['throttles queries', status(429), 'http_429'],
    ['fails', status(500), 'http_500'],
    ['answers with a web page', (_request, response) => void response.end('<html>'), 'not_rdap'],
  ])('a lookup is partial if the registrar %s', async (_what, registrar, error) => {
    await harness.internet.rdap('rdap.nic.test', found(registrarUrl));
    await harness.internet.rdap('rdap.registrar.test', registrar);
    const lookup = await harness.lookups().lookup(name);
    expect(told(lookup)).toEqual(['partial', 'rdap registry delivered', `rdap registrar ${error}`]);
    expect(lookup.record?.handle).toBe('D1');
  });

  it('returns the registry’s answer as partial when the time is up', async () => {
    await harness.internet.rdap('rdap.nic.test', found(registrarUrl));
    await harness.internet.rdap('rdap.registrar.test', () => undefined);
    const lookup = await withEnoughTime(
      400,
      (budgetMs) => harness.lookups().lookup(name, { budgetMs }),
      ({ sources }) => sources.length < 2,
    );
    expect(told(lookup)).toEqual([
      'partial',
      'rdap registry delivered',
      'rdap registrar cancelled',
    ]);
  });

  it('a name that the registry does not know is not registered, and no other server is queried', async () => {
    await harness.internet.rdap('rdap.nic.test', status(404));
    await harness.internet.whois('whois.nic.test', said('a.test'));
    const lookup = await harness.lookups().lookup(name);
    expect(told(lookup)).toEqual(['not_registered', 'rdap registry not_registered']);
    expect(lookup.record).toBeUndefined();
  });

  it.each<[string, RequestListener, string]>([
    ['throttles queries', status(429), 'http_429'],
    ['fails', status(503), 'http_503'],
    ['answers 404 with a web page', (_q, r) => void r.writeHead(404).end('<html>'), 'not_rdap'],
    [
      'answers an empty 404 as any web server does',
      (_q, r) => void r.writeHead(404).end(),
      'not_rdap',
    ],
    ['answers about another name', (_q, r) => void r.end('{"ldhName":"b.test"}'), 'unreadable'],
  ])('a registry whose RDAP %s is queried on port 43', async (_what, rdap, error) => {
    await harness.internet.rdap('rdap.nic.test', rdap);
    await harness.internet.whois('whois.nic.test', said('a.test'));
    const lookup = await harness.lookups().lookup(name);
    expect(told(lookup)).toEqual([
      'delivered',
      `rdap registry ${error}`,
      'whois43 registry delivered',
    ]);
  });

  it.each<[string, string, LookupOutcome]>([
    ['No match for domain "A.WHOISONLY".\n', 'whois43 registry not_registered', 'not_registered'],
    ['Reserved by the registry', 'whois43 registry restricted', 'restricted'],
    [said('b.test'), 'whois43 registry other_name', 'parse_failed'],
    ['%&$', 'whois43 registry parse_failed', 'parse_failed'],
  ])('the answer %j on port 43 ends the lookup', async (text, source, outcome) => {
    await harness.internet.whois('whois.nic.test', text);
    expect(told(await harness.lookups().lookup('a.whoisonly'))).toEqual([outcome, source]);
  });

  it('treats a suffix and a name below it as different names', async () => {
    await harness.internet.whois('whois.nic.test', said('co.uk'));
    const lookup = await harness.lookups().lookup('a.co.uk');
    expect(told(lookup)).toEqual(['parse_failed', 'whois43 registry other_name']);
  });

  it('a truncated answer never means "not registered"', async () => {
    await harness.internet.whois('whois.nic.test', (socket) => socket.write('No match'));
    const lookup = await withEnoughTime(
      200,
      (wholeMs) => harness.lookups({ whois: { wholeMs } }).lookup('a.whoisonly'),
      hasNotHeard('No match'),
    );
    expect(told(lookup)).toEqual(['parse_failed', 'whois43 registry answer_timeout']);
    expect(lookup.sources[0]).toMatchObject({ truncated: true, raw: 'No match' });
  });
});

describe('referrals on port 43', () => {
  const refers = (to: string) => said('a.whoisonly', `Registrar WHOIS Server: ${to}\n`);
  const servers = (lookup: Lookup) => lookup.sources.map(({ server }) => server);

  it('the registrar named by the registry is queried', async () => {
    await harness.internet.whois('whois.nic.test', refers('http://WHOIS.registrar.test/'));
    const answer = `${refers('whois.registrar.test')}Registrant Email: owner@a.test\n`;
    await harness.internet.whois('whois.registrar.test', answer);
    const lookup = await harness.lookups().lookup('a.whoisonly');
    expect(lookup).toMatchObject({ outcome: 'delivered', fields: { domain: 's1' } });
    expect(lookup.record?.contacts.registrant?.email).toBe('owner@a.test');
    expect(servers(lookup)).toEqual(['whois.nic.test', 'whois.registrar.test']);
  });

  it('S58: in a chain of fifty referrals, only two are followed', async () => {
    await harness.internet.whois('whois.nic.test', refers('whois.hop1.test'));
    for (let hop = 1; hop <= 50; hop += 1) {
      await harness.internet.whois(`whois.hop${hop}.test`, refers(`whois.hop${hop + 1}.test`));
    }
    expect(servers(await harness.lookups().lookup('a.whoisonly'))).toEqual([
      'whois.nic.test',
      'whois.hop1.test',
      'whois.hop2.test',
    ]);
  });

  it('S58: servers that refer to themselves or to each other are queried once', async () => {
    await harness.internet.whois('whois.nic.test', refers('whois.loop.test'));
    await harness.internet.whois('whois.loop.test', refers('whois.nic.test'));
    const lookup = await harness.lookups().lookup('a.whoisonly');
    expect(servers(lookup)).toEqual(['whois.nic.test', 'whois.loop.test']);
    expect(harness.internet.asked).toHaveLength(2);
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
    await harness.internet.whois('whois.nic.test', refers(target));
    await harness.internet.whois('whois.registrar.test', refers('whois.registrar.test'));
    const lookup = await harness.lookups().lookup('a.whoisonly');
    expect(told(lookup)).toEqual(['delivered', 'whois43 registry delivered']);
    expect(harness.internet.asked).toEqual(['whois.nic.test a.whoisonly\r\n']);
  });
});

describe('simultaneous lookups', () => {
  it('concurrent lookups of one name share one query and one answer', async () => {
    await harness.internet.whois('whois.nic.test', said('a.whoisonly'));
    const lookup = harness.lookups();
    const answers = await Promise.all([1, 2, 3].map(() => lookup.lookup('a.whoisonly')));
    expect(harness.internet.asked).toHaveLength(1);
    expect(new Set(answers).size).toBe(1);
    await lookup.lookup('a.whoisonly');
    expect(harness.internet.asked).toHaveLength(2);
    expect(lookup.counts).toMatchObject({ started: 2, joined: 2, underWay: 0 });
    const [source] = lookup.counts.sources;
    expect(source).toMatchObject({ protocol: 'whois43', role: 'registry', outcome: 'delivered' });
    expect(source.seconds.counts.reduce((sum, count) => sum + count)).toBe(2);
  });

  it("a caller that disconnects does not end another caller's lookup", async () => {
    const { promise: asked, resolve: hasAsked } = Promise.withResolvers<Socket>();
    await harness.internet.whois('whois.nic.test', hasAsked);
    const lookup = harness.lookups();
    const controller = new AbortController();
    const leaving = lookup.lookup('a.whoisonly', { signal: controller.signal });
    const staying = lookup.lookup('a.whoisonly');
    const socket = await asked;
    expect(lookup.counts.underWay).toBe(1);
    controller.abort();
    await expect(leaving).rejects.toThrow('aborted');
    socket.end(said('a.whoisonly'));
    expect((await staying).outcome).toBe('delivered');
  });

  it('when the last caller leaves a lookup, its connection is closed, and the next call starts a new lookup', async () => {
    const { promise: asked, resolve: hasAsked } = Promise.withResolvers<Socket>();
    let count = 0;
    await harness.internet.whois('whois.nic.test', (socket) => {
      count += 1;
      if (count === 1) hasAsked(socket);
      else socket.end(said('a.whoisonly'));
    });
    const lookup = harness.lookups();
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

  it('a call does not join a lookup that has little time left', async () => {
    const { promise: asked, resolve: hasAsked } = Promise.withResolvers<Socket>();
    let count = 0;
    await harness.internet.whois('whois.nic.test', (socket) => {
      count += 1;
      if (count === 1) hasAsked(socket);
      else socket.end(said('a.whoisonly'));
    });
    const lookup = harness.lookups();
    const hasty = lookup.lookup('a.whoisonly', { budgetMs: 5_000 });
    const socket = await asked;
    expect((await lookup.lookup('a.whoisonly')).outcome).toBe('delivered');
    socket.destroy();
    await hasty;
  });

  it('a call does not join a lookup that would not wait for its turn', async () => {
    await harness.internet.whois('whois.nic.test', said('a.whoisonly'));
    const slow = { buckets: [{ burst: 1, perSecond: 0.01 }], connections: 1 };
    const limiter = new UpstreamLimiter({ defaultLimit: slow });
    const lookup = harness.lookups({ limiter });
    await lookup.lookup('a.whoisonly');
    const hurried = lookup.lookup('a.whoisonly', { waitMaxMs: 0 });
    const controller = new AbortController();
    const patient = lookup.lookup('a.whoisonly', { signal: controller.signal });
    expect((await hurried).outcome).toBe('throttled');
    expect(limiter.waitingFor('whois.nic.test')).toBe(1);
    controller.abort();
    await expect(patient).rejects.toThrow('aborted');
  });

  it('a call with an aborted signal sends no query', async () => {
    const signal = AbortSignal.abort();
    await expect(harness.lookups().lookup(name, { signal })).rejects.toThrow('aborted');
    expect(harness.internet.asked).toEqual([]);
  });

  it('an interactive lookup does not wait for the bulk lookup of the same name', async () => {
    const limiter = new UpstreamLimiter({
      defaultLimit: { buckets: [{ burst: 1, perSecond: 20 }], connections: 1 },
    });
    await harness.internet.whois('whois.nic.test', said('a.whoisonly'));
    const lookup = harness.lookups({ limiter });
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
