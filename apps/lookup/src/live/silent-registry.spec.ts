import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  Logger,
  type RunningService,
  ServiceTokens,
  SystemClock,
  loadConfig,
  newId,
} from '#libs/platform';
import { Registries } from '#libs/resolvers';
import { waitFor } from '#test/environment';
import { LookupConfig } from '../lookup.config.js';
import { startLookup } from '../start.js';

const SECRET = 'a secret between services, long enough';
const NAMES = 350;
const ANSWERED = 'answered';

const tokens = new ServiceTokens(SECRET, new SystemClock());
const registry = Registries.vendored()
  .routes()
  .find(({ rdapBaseUrl, whoisServer }) => rdapBaseUrl === undefined && whoisServer !== undefined)!;
const sockets = new Set<Socket>();
let upstream: Server;
let service: RunningService;

beforeAll(async () => {
  upstream = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', (line) => {
      const name = line.toString('latin1').trim();
      if (!name.startsWith(ANSWERED)) return;
      socket.end(`Domain Name: ${name}\nCreation Date: 2020-02-03T04:05:06Z\n`);
    });
  });
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  const { port } = upstream.address() as AddressInfo;
  const config = loadConfig(LookupConfig, {
    SERVICE_SECRET: SECRET,
    LOOKUP_PORT: '0',
    LOOKUP_UPSTREAM_EXCEPTIONS: `${registry.whoisServer}:43=127.0.0.1:${port}`,
    LOOKUP_UPSTREAM_PER_SECOND: '1000',
  });
  const logger = new Logger('lookup', { write: () => undefined });
  service = await startLookup({ config, clock: new SystemClock(), logger });
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  upstream?.close();
  await service?.stop();
});

async function ask(label: string, accountId: string, signal?: AbortSignal): Promise<number> {
  const query = new URLSearchParams({ domainName: `${label}.${registry.tld}` });
  const { status } = await fetch(`${service.url}/internal/whois/live?${query}`, {
    headers: {
      authorization: `Bearer ${tokens.issue('gateway', 'lookup')}`,
      'x-account-id': accountId,
    },
    signal,
  });
  return status;
}

it('S102: when one account looks up 350 names at a silent registry, another account still gets a connection', async () => {
  const [slow, other] = [newId(), newId()];
  const ended = new AbortController();
  let refused = 0;
  const names = Array.from({ length: NAMES }, async (_, at) => {
    await ask(`silent${at}`, slow, ended.signal).catch(() => {});
    refused += 1;
  });
  // The queue of the registry is full, so all connections to it are in use.
  await waitFor('names without a place', () => refused > 0);
  expect(sockets.size).toBeGreaterThan(0);
  expect(await ask(`${ANSWERED}1`, other)).toBe(200);
  expect(await ask(`${ANSWERED}2`, other)).toBe(200);
  ended.abort();
  await Promise.all(names);
});
