import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, it } from '@jest/globals';
import { parseAddressBlock } from '#libs/domain-names';
import { Logger, ServiceTokens, loadConfig } from '#libs/platform';
import { TestClock } from '#test/environment';
import { LookupConfig } from '../lookup.config.js';
import { startLookup } from '../start.js';
import { DelegatedNumbers } from './delegated-numbers.js';
import { RoutingFeed } from './routing-feed.js';

const RELATIONS = `# source:topology|BGP|20261101|example
# <provider-as>|<customer-as>|-1
64500|64496|-1|bgp
64496|64510|-1|bgp
64496|64511|0|mlp
64505|64496|0
`;
const ORIGINS =
  '192.0.2.0\t24\t64496\n2001:db8::\t32\t64496_64500\n198.51.100.0\t25\t64500,64501\n';

const folder = mkdtempSync(join(tmpdir(), 'routing-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

it('routes and neighbours are read from files in the public formats, compressed or not', async () => {
  const relations = file('as-rel.txt', RELATIONS);
  const origins = file('pfx2as.gz', gzipSync(ORIGINS));
  const feed = await RoutingFeed.load({ relations, origins });
  expect(feed.of(64_496)).toEqual({
    routes: ['192.0.2.0/24', '2001:db8::/32'],
    upstreams: [64_500],
    downstreams: [64_510],
    peers: [64_511, 64_505],
  });
  const prefixOf = (block: string) => {
    const parsed = parseAddressBlock(block);
    return parsed.ok ? feed.prefixOf(parsed.cidr) : undefined;
  };
  expect(prefixOf('198.51.100.77')).toEqual({
    prefix: '198.51.100.0/25',
    origins: [64_500, 64_501],
  });
  expect(prefixOf('198.51.100.200')).toBeUndefined();
  expect(prefixOf('192.0.2.128/25')).toEqual({ prefix: '192.0.2.0/24', origins: [64_496] });
  expect(prefixOf('192.0.0.0/16')).toBeUndefined();
  expect(prefixOf('2001:db8:1::1')?.prefix).toBe('2001:db8::/32');
  expect(feed.of(64_501)).toMatchObject({ routes: ['198.51.100.0/25'], peers: [] });
  expect(feed.of(1)).toEqual({ routes: [], upstreams: [], downstreams: [], peers: [] });
});

it('a prefix on several lines has the origins of all of them, and a default route has none', async () => {
  const lines = ['192.0.2.0\t24\t64496', '192.0.2.0\t24\t64500', '192.0.2.0\t24\t64496'];
  const everywhere = ['0.0.0.0\t0\t64505', '::\t0\t64505'];
  const feed = await RoutingFeed.load({
    origins: file('repeated.txt', [...lines, ...everywhere, ''].join('\n')),
    relations: file('repeated-rel.txt', '1|2|0\n2|1|0\n1|1|0\n1|3|-1|a\n1|3|-1|b\n'),
  });
  const prefixOf = (text: string) => {
    const parsed = parseAddressBlock(text);
    return parsed.ok ? feed.prefixOf(parsed.cidr) : undefined;
  };
  expect(prefixOf('192.0.2.9')?.origins).toEqual([64_496, 64_500]);
  expect([prefixOf('203.0.113.9'), prefixOf('2001:db8::1')]).toEqual([undefined, undefined]);
  expect(feed.of(64_496).routes).toEqual(['192.0.2.0/24']);
  expect(feed.of(64_505).routes).toEqual([]);
  expect(feed.of(1)).toMatchObject({ peers: [2], downstreams: [3] });
});

it.each([
  ['nothing', ''],
  ['another format', '1.0.0.0/24 AS13335\n'],
  ['an AS number of more than 32 bits', '1|4294967296|0\n'],
  ['markup', '<!doctype html>\n<p>Not found</p>\n'],
])('a file with %s is refused', async (_what, content) => {
  const path = file('strange.txt', content);
  await expect(RoutingFeed.load({ relations: path })).rejects.toThrow('cannot be read');
  await expect(RoutingFeed.load({ origins: path })).rejects.toThrow('cannot be read');
});

it('a missing file, and a .gz file that is not compressed, are refused', async () => {
  await expect(RoutingFeed.load({ relations: join(folder, 'none') })).rejects.toThrow('ENOENT');
  await expect(RoutingFeed.load({ relations: join(folder, 'none.gz') })).rejects.toThrow('ENOENT');
  const plain = file('plain.gz', RELATIONS);
  await expect(RoutingFeed.load({ relations: plain })).rejects.toThrow('incorrect header');
});

const DELEGATED = `2|ripencc|20261123|5|19830705|20261122|+0000
ripencc|*|ipv4|*|2|summary
ripencc|NL|asn|64496|1|20030317|assigned|holder-one
ripencc|NL|ipv4|192.0.2.0|384|20030317|allocated|holder-one
ripencc|NL|ipv6|2001:db8::|32|20030317|allocated|holder-one
ripencc|DE|ipv4|203.0.113.0|256|20030317|assigned|holder-two
ripencc||ipv4|198.51.100.0|256||available|
`;

it('the address blocks of an AS number’s holder are read from the registries’ files', async () => {
  const delegated = await DelegatedNumbers.load([file('delegated.gz', gzipSync(DELEGATED))]);
  expect(delegated.blocksOf(64_496)).toEqual(['192.0.2.0/24', '192.0.3.0/25', '2001:db8::/32']);
  expect(delegated.blocksOf(64_497)).toBeUndefined();
  expect((await DelegatedNumbers.load([])).isLoaded).toBe(false);
  const basic = file('basic.txt', 'ripencc|NL|asn|64496|1|20030317|assigned\n');
  await expect(DelegatedNumbers.load([basic])).rejects.toThrow('1 of 1 lines cannot be read');
});

it('an answer about an AS number contains the loaded data, and nothing else', async () => {
  const clock = new TestClock('2026-11-22T10:00:00Z');
  const secret = 'a-service-secret-of-at-least-32-characters';
  const config = loadConfig(LookupConfig, {
    SERVICE_SECRET: secret,
    LOOKUP_PORT: '0',
    LOOKUP_AS_RELATIONS_FILE: file('loaded.txt', RELATIONS),
    LOOKUP_DELEGATED_FILES: `${file('delegated.txt', DELEGATED)}, `,
  });
  const logger = new Logger('lookup', { write: () => undefined });
  const service = await startLookup({ config, clock, logger });
  try {
    const token = new ServiceTokens(secret, clock).issue('gateway', 'lookup');
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${service.url}/internal/asn-whois?asn=AS64496`, { headers });
    const body = (await answer.json()) as object;
    expect(body).toMatchObject({
      allocations: { is_loaded: true, block_count: 3 },
      address_blocks: ['192.0.2.0/24', '192.0.3.0/25', '2001:db8::/32'],
      routing: { is_loaded: true, relation_count: 4 },
      upstreams: ['AS64500'],
      downstreams: ['AS64510'],
      peers: ['AS64511', 'AS64505'],
    });
    expect(body).not.toHaveProperty('routes');
  } finally {
    await service.stop();
  }
});
