import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, type Server, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Valkey } from 'iovalkey';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  loadConfig,
  Logger,
  monotonicMs,
  type RunningService,
  ServiceTokens,
} from '#libs/platform';
import { Registries } from '#libs/resolvers';
import { TestClock, ValkeyServer, valkeyAvailability, waitFor } from '#test/environment';
import { LookupConfig } from './lookup.config.js';
import { startLookup } from './start.js';

const SECRET = 'a secret between services, long enough';
const PER_SECOND = 25;
/** The number of queries that a burst may have: twice `LOOKUP_UPSTREAM_PER_SECOND`. */
const BURST = 2 * PER_SECOND;
const here = valkeyAvailability() === undefined ? describe : describe.skip;

const clock = new TestClock('2026-11-20T11:42:03Z');
const tokens = new ServiceTokens(SECRET, clock);
const registry = Registries.vendored()
  .routes()
  .find(({ rdapBaseUrl, whoisServer }) => rdapBaseUrl === undefined && whoisServer !== undefined)!;

let folder: string;
let valkey: ValkeyServer;
let upstream: Server;
let services: RunningService[] = [];
let answer = (name: string) => `Domain Name: ${name}\nCreation Date: 2020-02-03T04:05:06Z\n`;
let asked = 0;

async function startRegistry(): Promise<number> {
  upstream = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (line) => {
      asked += 1;
      socket.end(answer(line.toString('latin1').trim()));
    });
  });
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  return (upstream.address() as AddressInfo).port;
}

async function startService(port: number): Promise<RunningService> {
  const config = loadConfig(LookupConfig, {
    SERVICE_SECRET: SECRET,
    LOOKUP_PORT: '0',
    LOOKUP_UPSTREAM_EXCEPTIONS: `${registry.whoisServer}:43=127.0.0.1:${port}`,
    LOOKUP_UPSTREAM_PER_SECOND: String(PER_SECOND),
    VALKEY_URL: valkey.url,
    VALKEY_TIMEOUT_MS: '1000',
  });
  return startLookup({ config, clock, logger: new Logger('lookup', { write: () => undefined }) });
}

async function ask({ url }: RunningService, label: string) {
  const authorization = `Bearer ${tokens.issue('gateway', 'lookup')}`;
  const query = new URLSearchParams({ domainName: `${label}.${registry.tld}` });
  const response = await fetch(`${url}/internal/whois/live?${query}`, {
    headers: { authorization },
  });
  const { code } = (await response.json()) as { code?: string };
  return { status: response.status, code, retryAfter: response.headers.get('retry-after') };
}

here('two lookup services that share a Valkey', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'dds-lookups-'));
    valkey = await ValkeyServer.start({ folder });
    const port = await startRegistry();
    services = [await startService(port), await startService(port)];
    const client = new Valkey(valkey.url);
    await waitFor('both to be seen', async () => (await client.zcard('counters:lookups')) === 2);
    client.disconnect();
  });

  afterAll(async () => {
    for (const service of services) await service.stop();
    upstream?.close();
    await valkey?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('together query a registry no more often than one service would', async () => {
    const sinceMs = monotonicMs();
    const names = Array.from({ length: 80 }, (_, at) => ask(services[at % 2], `name${at}`));
    const statuses = (await Promise.all(names)).map(({ status }) => status);
    expect(statuses.every((status) => status === 200)).toBe(true);
    expect(asked).toBe(80);
    const seconds = (monotonicMs() - sinceMs) / 1_000;
    expect(80).toBeLessThanOrEqual(BURST + PER_SECOND * seconds);
  });

  it('all stop querying a registry after one of them is throttled', async () => {
    const sinceMs = monotonicMs();
    answer = () => 'Query limit exceeded, try again in 10 minutes\n';
    const throttled = { status: 503, code: 'upstream_throttled', retryAfter: '600' };
    expect(await ask(services[0], 'throttled')).toEqual(throttled);
    const before = asked;
    const other = await ask(services[1], 'other');
    expect(other).toMatchObject({ status: 503, code: 'upstream_throttled' });
    const sinceSeconds = (monotonicMs() - sinceMs) / 1_000;
    // Two seconds are subtracted, because each service rounds to whole seconds.
    expect(Number(other.retryAfter) + sinceSeconds).toBeGreaterThan(600 - 2);
    expect(asked).toBe(before);
  });
});
