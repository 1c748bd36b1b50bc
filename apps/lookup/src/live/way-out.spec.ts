import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
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
import { LookupConfig } from '../lookup.config.js';
import { startLookup } from '../start.js';

const SECRET = 'a secret between services, long enough';

const tokens = new ServiceTokens(SECRET, new SystemClock());
const registry = Registries.vendored()
  .routes()
  .find(({ rdapBaseUrl, whoisServer }) => {
    return rdapBaseUrl !== undefined && whoisServer !== undefined;
  })!;
const upstream = createServer((socket) => {
  socket.on('error', () => {});
  socket.once('data', () => socket.end('Domain Name: x\nCreation Date: 2020-02-03T04:05:06Z\n'));
});
let service: RunningService;
let port: number;

beforeAll(async () => {
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  ({ port } = upstream.address() as AddressInfo);
  upstream.close();
  const rdapHost = new URL(registry.rdapBaseUrl!).hostname;
  const config = loadConfig(LookupConfig, {
    SERVICE_SECRET: SECRET,
    LOOKUP_PORT: '0',
    LOOKUP_UPSTREAM_EXCEPTIONS: `${registry.whoisServer}:43=127.0.0.1:${port},${rdapHost}:443=127.0.0.1:${port}`,
    LOOKUP_UPSTREAM_PER_SECOND: '1000',
  });
  const logger = new Logger('lookup', { write: () => undefined });
  service = await startLookup({ config, clock: new SystemClock(), logger });
});
afterAll(async () => {
  upstream.close();
  await service?.stop();
});

async function ask(label: string): Promise<{ status: number; text: string }> {
  const query = new URLSearchParams({ domainName: `${label}.${registry.tld}` });
  const answer = await fetch(`${service.url}/internal/whois/live?${query}`, {
    headers: {
      authorization: `Bearer ${tokens.issue('gateway', 'lookup')}`,
      'x-account-id': newId(),
    },
  });
  return { status: answer.status, text: await answer.text() };
}
const faults = async () => {
  const answer = await fetch(`${service.url}/ready`);
  return [answer.status, ((await answer.json()) as { faults: string[] }).faults];
};

it('if no server at all can be reached, the problem and the readiness say so, until one answers', async () => {
  expect(await faults()).toEqual([200, []]);
  const { status, text } = await ask('first');
  expect([status, text]).toEqual([503, expect.stringContaining('no way out to the internet')]);
  expect(text).toContain('npm start -- --offline');
  expect(await faults()).toEqual([200, ['upstreams']]);
  upstream.listen(port, '127.0.0.1');
  await once(upstream, 'listening');
  await ask('second');
  expect(await faults()).toEqual([200, []]);
});
