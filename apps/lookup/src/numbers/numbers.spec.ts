import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger, ServiceTokens, type RunningService, loadConfig } from '#libs/platform';
import { TestClock } from '#test/environment';
import { LookupConfig } from '../lookup.config.js';
import { startLookup } from '../start.js';
import { ipBody } from './number-body.js';
import { numberFixture } from './number-fixtures.js';
import { NumbersService } from './numbers.service.js';

const SECRET = 'a-service-secret-of-at-least-32-characters';
const clock = new TestClock('2026-11-22T10:00:00Z');
let service: RunningService;
let tokens: ServiceTokens;

beforeAll(async () => {
  const logger = new Logger('lookup', { write: () => undefined });
  const config = loadConfig(LookupConfig, { SERVICE_SECRET: SECRET, LOOKUP_PORT: '0' });
  service = await startLookup({ config, clock, logger });
  tokens = new ServiceTokens(SECRET, clock);
});
afterAll(() => service?.stop());

async function ask(path: string, further: Record<string, string> = {}) {
  const headers = { authorization: `Bearer ${tokens.issue('gateway', 'lookup')}`, ...further };
  const answer = await fetch(`${service.url}/internal/${path}`, { headers });
  const body = (await answer.json()) as Record<string, unknown>;
  return { status: answer.status, outcome: answer.headers.get('x-outcome'), body };
}

describe('the holder of an address', () => {
  it('is answered with the block, its contacts and the abuse contact', async () => {
    const { status, outcome, body } = await ask('ip-whois?ip=192.0.2.1');
    expect([status, outcome]).toEqual([200, 'delivered']);
    expect(body).toMatchObject({
      ip_address: '192.0.2.1',
      query_time: '2026-11-22 10:00:00',
      registry: 'ripe',
      allocated: 'yes',
      inet_nums: [{ start_ip: '192.0.2.0', cidr: ['192.0.2.0/24'], date_created: '2003-03-17' }],
      origin_as_numbers: ['AS64496'],
      origin_as_from: 'registry',
      routing: { is_loaded: false, reason: 'No feed of prefixes and their origins is loaded.' },
      isp: { name: 'Example Networks', as_number: 'AS64496', found_in: 'as_registration' },
      organization: { handle: 'ORG-EX1', email: ['office@example.net'] },
      abuse_contacts: [{ email: 'abuse@example.net', found_in: 'rdap_role' }],
      provenance: { served_from: 'fixture', sources: [{ id: 's1', outcome: 'delivered' }] },
    });
  });

  it('is answered for IPv6 in any spelling, with only the requested members', async () => {
    const { body } = await ask('ip-whois?ip=2001:0DB8:0::1&fields=ip_address');
    expect(body).toEqual({ status: true, ip_address: '2001:db8::1' });
  });

  it('is answered in version 1 with the raw text, and without provenance', async () => {
    const numbers = service.app.get(NumbersService, { strict: false });
    const found = numberFixture('192.0.2.1', clock.now())!;
    const sources = found.sources.map((source) => ({ ...source, raw: 'NetRange: 8.8.8.0' }));
    numbers.cache.put('8.8.8.8', { ...found, sources });
    const { body } = await ask('ip-whois?ip=8.8.8.8&version=1', { 'x-repeat': '1' });
    expect(body.whois_raw_response).toBe('NetRange: 8.8.8.0');
    expect(body).not.toHaveProperty('provenance');
  });

  it.each([
    ['ip-whois?ip=10.0.0.1', 'Private use (RFC 1918)'],
    ['ip-whois?ip=fe80::/64', 'Link local (RFC 4291)'],
    ['ip-whois?ip=240.0.0.0/8', 'Reserved (RFC 1112)'],
    ['asn-whois?asn=0', 'AS0: Reserved (RFC 7607). No registry assigns it.'],
    ['asn-whois?asn=AS64512', 'AS64512 to AS65534: Private use (RFC 6996)'],
    ['asn-whois?asn=AS4200000000', 'AS4200000000 to AS4294967294: Private use (RFC 6996)'],
    ['asn-whois?asn=4294967295', 'AS4294967295: Reserved (RFC 7300)'],
    ['ip-whois?ip=8.0.0.0/1', 'the whole of 0.0.0.0/1'],
    ['ip-whois?ip=2a00::/3', 'Request a smaller block'],
  ])('no single registry answers for %s: 422 with the reason', async (path, reason) => {
    const { status, outcome, body } = await ask(path);
    expect([status, outcome, body.code]).toEqual([422, 'unsupported', 'bogon_address']);
    expect(body.detail).toContain(reason);
  });

  it.each(['0x7f.1', '127.1', '1.2.3.4/33', '1.2.3.4/-1', 'fe80::1%25eth0', 'example.com', ''])(
    'S56: %j is not an address',
    async (ip) => {
      const { status, body } = await ask(`ip-whois?ip=${ip}`);
      expect([status, body.code]).toEqual([400, 'invalid_request']);
    },
  );

  it('is not reported as "not allocated" when a registry limits the rate', async () => {
    expect(await ask('ip-whois?ip=203.0.113.1')).toMatchObject({
      status: 503,
      outcome: 'throttled',
      body: { code: 'upstream_throttled', retry_after: 60 },
    });
    expect(await ask('ip-whois?ip=198.51.100.0/24')).toMatchObject({
      status: 200,
      outcome: 'not_registered',
      body: { allocated: 'no', inet_nums: [] },
    });
  });
});

it.each(['partial', 'not_registered'] as const)(
  'the raw text of an answer is returned, even if the answer is %s',
  (outcome) => {
    const found = numberFixture('198.51.100.0/24', clock.now())!;
    const sources = found.sources.map((source) => ({ ...source, outcome, raw: 'NetRange: 198' }));
    const lookup = { ...found, outcome, sources };
    const origin = { routing: { is_loaded: false }, asns: [] };
    const serving = { servedFrom: 'live', ageSeconds: 0 } as const;
    const body = ipBody('198.51.100.0/24', lookup, origin, { serving, sections: new Set(['raw']) });
    expect(body.whois_raw_response).toBe('NetRange: 198');
  },
);

it.each([
  [['*****', 'Geofeed https://example.net/geofeed.csv'], 'EXAMPLE-NET'],
  [['Geofeed https://example.net/geofeed.csv', 'Example Networks'], 'Example Networks'],
])('the provider of a block without a holder is named as in %j: %s', (descriptions, name) => {
  const found = numberFixture('192.0.2.1', clock.now())!;
  const block = { ...found.block!, name: 'EXAMPLE-NET', contacts: [], descriptions };
  const origin = { routing: { is_loaded: false }, asns: [] };
  const serving = { servedFrom: 'live', ageSeconds: 0 } as const;
  const told = { serving, sections: new Set<never>() };
  const { isp } = ipBody('192.0.2.1', { ...found, block }, origin, told);
  expect(isp).toEqual({ name, found_in: 'block_registration' });
});

describe('the holder of an AS number', () => {
  it('is answered, with a note that routes and peers are unknown without a feed', async () => {
    expect((await ask('asn-whois?asn=as64496')).body).toMatchObject({
      as_number: 'AS64496',
      as_name: 'EXAMPLE-NET',
      allocation_blocks: [{ start_as: 'AS64496', end_as: 'AS64496' }],
      routing: { is_loaded: false },
      allocations: { is_loaded: false },
    });
  });
});
