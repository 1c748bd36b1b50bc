import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Logger, ServiceTokens, loadConfig } from '#libs/platform';
import type { DnsLookup, Lookup } from '#libs/resolvers';
import { TestClock, waitFor } from '#test/environment';
import { LoopbackServer } from '../../../../test/stand-ins/json-server.js';
import { fixtureLookup } from '../fixtures/fixtures.js';
import { LookupConfig } from '../lookup.config.js';
import { ObservationRing } from './observation-ring.js';
import { dnsLine, whoisLine } from './observed-lines.js';
import { ObservationsService } from './observations.service.js';

const NOW = new Date('2026-11-20T11:42:03Z');
const lookup = (outcome: Lookup['outcome'] = 'delivered'): Lookup => ({
  ...fixtureLookup('registered.test', NOW),
  domain: 'observed.com',
  outcome,
});

describe('submitted observations', () => {
  const parsed = (line: string | undefined) => line && (JSON.parse(line) as object);

  it('include a registration with its contacts and text, marked complete if every source answered', () => {
    expect(parsed(whoisLine(lookup(), 'all'))).toMatchObject({
      kind: 'whois',
      name: 'observed.com',
      at: NOW.toISOString(),
      complete: true,
      answered_by: [
        { role: 'registry', protocol: 'rdap', outcome: 'delivered' },
        { role: 'registrar', protocol: 'rdap', outcome: 'delivered' },
      ],
      record: { registrant_contact: { name: 'Alex Sample' } },
      raw: expect.stringContaining('objectClassName'),
    });
    expect(parsed(whoisLine(lookup('partial'), 'all'))).toMatchObject({ complete: false });
  });

  it('include neither contacts nor text if the operator stores no contacts', () => {
    const line = whoisLine(lookup(), 'no_contacts')!;
    expect(line).not.toContain('Alex');
    expect(parsed(line)).toMatchObject({ record: { contacts_not_kept: true } });
  });

  it.each([
    'throttled',
    'timeout',
    'unreachable',
    'parse_failed',
    'unsupported',
    'restricted',
  ] as const)('do not include an answer that is %s', (outcome) => {
    expect(whoisLine(lookup(outcome), 'all')).toBeUndefined();
  });

  it('contain, for an unregistered name, only the fact that it is not registered', () => {
    expect(parsed(whoisLine(lookup('not_registered'), 'all'))).toEqual({
      kind: 'gone',
      name: 'observed.com',
      at: NOW.toISOString(),
    });
  });

  it('include the types that were answered, and prove a registration only if there is a name server', () => {
    const record = {
      name: 'observed.com',
      ttlSeconds: 60,
      type: 'A',
      address: '198.18.0.1',
    } as const;
    const found = {
      name: 'observed.com',
      records: [record],
      errors: { MX: 'timeout' },
      rcode: 'noerror',
      isAuthenticated: false,
      servers: [],
      latencyMs: 1,
    } as const;
    const line = dnsLine({ ...found, records: [record], servers: [] }, ['A', 'MX', 'CAA'], NOW);
    expect(parsed(line)).toEqual({
      kind: 'dns',
      name: 'observed.com',
      at: NOW.toISOString(),
      types: ['A'],
      records: [{ type: 'A', value: '198.18.0.1' }],
      registered: false,
    });
  });

  it('contain the same TXT data as an answer: decoded as UTF-8 if it is valid, even across the boundaries of strings', () => {
    const strings = ['Gr\u00c3\u00bc\u00c3', '\u009fe, 10 \u00e2\u0082\u00ac'];
    const record = { name: 'observed.com', ttlSeconds: 60, type: 'TXT', strings } as const;
    const line = dnsLine(
      {
        name: 'observed.com',
        records: [{ ...record, strings }],
        errors: {},
        rcode: 'noerror',
        isAuthenticated: false,
        servers: [],
        latencyMs: 1,
      },
      ['TXT'],
      NOW,
    );
    expect(parsed(line)).toMatchObject({ records: [{ type: 'TXT', value: 'Grüße, 10 €' }] });
  });
});

describe('the ring', () => {
  it('drops and counts the oldest lines if there are too many lines or bytes', () => {
    const ring = new ObservationRing({ lines: 3, bytes: 100 });
    for (const text of ['a', 'b', 'c', 'd']) ring.add(() => text, 10);
    expect([ring.dropped, ring.size]).toEqual([1, 3]);
    ring.add(() => 'big', 95);
    expect([ring.dropped, ring.take(1_000).text]).toEqual([4, 'big']);
  });

  it('takes back lines that could not be submitted, and puts them ahead of those that arrived in the meantime', () => {
    const ring = new ObservationRing({ lines: 3, bytes: 100 });
    for (const text of ['a', 'b']) ring.add(() => text, 10);
    const batch = ring.take(15);
    expect(batch.text).toBe('a\nb');
    for (const text of ['c', 'd']) ring.add(() => text, 10);
    batch.putBack();
    expect([ring.take(1_000).text, ring.dropped]).toEqual(['b\nc\nd', 1]);
  });
});

function observationsFor(url: string, write = (_line: string) => {}): ObservationsService {
  const config = loadConfig(LookupConfig, {
    SERVICE_SECRET: 'a secret between services, long enough',
    CORPUS_URL: url,
  });
  const tokens = new ServiceTokens(config.serviceSecret!, new TestClock());
  return new ObservationsService(config, tokens, new Logger('lookup', { write }));
}

it('S119: a server whose answer could not be read is logged without the answer', () => {
  const lines: string[] = [];
  const observations = observationsFor('http://127.0.0.1:9', (line) => lines.push(line));
  const [source] = lookup().sources;
  const unread = { ...source, outcome: 'parse_failed', server: 'whois.example' } as const;
  observations.noteWhois({ ...lookup('parse_failed'), sources: [unread, source] });
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { msg: 'an answer could not be read', server: 'whois.example', tld: 'com' },
  ]);
  expect(lines.join()).not.toContain('observed');
});

it('a line on which the corpus fails is abandoned and does not hold up the other lines', async () => {
  const names: string[] = [];
  const corpus = new LoopbackServer(async (request, response) => {
    const lines = (await text(request))
      .split('\n')
      .map((line) => JSON.parse(line) as { name: string });
    const isBad = lines.some(({ name }) => name === 'bad.com');
    const body = isBad ? { code: 'internal_error', status: 500, detail: 'A failure.' } : {};
    if (!isBad) names.push(...lines.map(({ name }) => name));
    response.writeHead(isBad ? 500 : 200).end(JSON.stringify(body));
  });
  await corpus.start();
  const observations = observationsFor(corpus.url);
  for (const domain of ['a.com', 'b.com', 'bad.com', 'c.com', 'd.com']) {
    observations.noteWhois({ ...lookup(), domain });
  }
  observations.onApplicationBootstrap();
  await waitFor('the other lines', () => names.length === 4);
  expect(names).toEqual(['a.com', 'b.com', 'c.com', 'd.com']);
  await observations.onModuleDestroy();
  expect(observations.counts).toEqual({ handedOver: 4, refused: 1, dropped: 0, waiting: 0 });
  await corpus.stop();
});

it('a host whose addresses are all private is stored as one without an address, so that it is not due again at once', async () => {
  let stored = '';
  const corpus = new LoopbackServer(async (request, response) => {
    stored += await text(request);
    response.writeHead(200).end('{}');
  });
  await corpus.start();
  const observations = observationsFor(corpus.url);
  const name = 'intern.observed.com';
  const found: DnsLookup = {
    name,
    records: [],
    errors: { A: 'private_address', AAAA: 'private_address' },
    rcode: 'noerror',
    isAuthenticated: false,
    servers: [],
    latencyMs: 1,
  };
  const types = ['A', 'AAAA'];
  observations.noteDns(found, types, { at: new Date(), isCollected: true });
  await observations.onModuleDestroy();
  expect(JSON.parse(stored)).toMatchObject({ kind: 'dns', name, types, records: [] });
  await corpus.stop();
});

describe('without a corpus', () => {
  let observations: ObservationsService;

  beforeAll(async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    observations = observationsFor(`http://127.0.0.1:${port}`);
  });
  afterAll(() => observations.onModuleDestroy());

  it('each lookup is queued once as an observation, and nothing is thrown', async () => {
    const shared = lookup();
    observations.noteWhois(shared);
    observations.noteWhois(shared);
    observations.onApplicationBootstrap();
    await observations.onModuleDestroy();
    expect(observations.counts).toEqual({ handedOver: 0, refused: 0, dropped: 0, waiting: 1 });
  });

  it('a host is queued only if the corpus asked for it, and only if it is certain whether it has an address', () => {
    const found = (name: string, errors: object = {}, records: object[] = []) =>
      ({
        name,
        records,
        errors,
        rcode: 'nxdomain',
        isAuthenticated: false,
        servers: [],
        latencyMs: 1,
      }) as DnsLookup;
    const types = ['A', 'AAAA'];
    const { waiting } = observations.counts;
    observations.noteDns(found('www.observed.com'), types, { at: NOW });
    const partial = found('www.observed.com', { AAAA: 'timeout' });
    observations.noteDns(partial, types, { at: NOW, isCollected: true });
    expect(observations.counts.waiting).toBe(waiting);
    observations.noteDns(found('www.observed.com'), types, { at: NOW, isCollected: true });
    observations.noteDns(found('observed.com'), types, { at: NOW });
    const address = { name: 'www.observed.com', type: 'A', ttlSeconds: 60, address: '198.19.1.1' };
    const known = found('www.observed.com', { AAAA: 'timeout' }, [address]);
    observations.noteDns(known, types, { at: NOW, isCollected: true });
    expect(observations.counts.waiting).toBe(waiting + 3);
  });

  it('S124: queued DNS lookups count with their real size, because the owner of a name decides how long its records are', () => {
    const strings = ['x'.repeat(60_000)];
    for (let count = 0; count < 700; count++) {
      const record = { name: 'observed.com', ttlSeconds: 60, type: 'TXT', strings } as const;
      const found = {
        name: 'observed.com',
        records: [{ ...record, strings }],
        errors: {},
        rcode: 'noerror',
        isAuthenticated: false,
        servers: [],
        latencyMs: 1,
      } as const;
      observations.noteDns({ ...found, records: [...found.records], servers: [] }, ['TXT'], {
        at: NOW,
      });
    }
    const { waiting, dropped } = observations.counts;
    expect([waiting < 560, dropped > 140]).toEqual([true, true]);
  });
});
