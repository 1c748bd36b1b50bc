import { createSocket } from 'node:dgram';
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
/** A resolver nearby that says of every name that it does not exist. */
const resolver = createSocket('udp4');
resolver.on('message', (query, { port: to, address }) => {
  const reply = Buffer.from(query.subarray(0, query.indexOf(0, 12) + 5));
  reply.writeUInt16BE(0x8183, 2);
  reply.writeUInt16BE(0, 10);
  resolver.send(reply, to, address);
});
/** Queries the resolver alone, and has reached no server. */
let denied: RunningService;
let service: RunningService;
let port: number;

beforeAll(async () => {
  upstream.listen(0, '127.0.0.1');
  resolver.bind(0, '127.0.0.1');
  await Promise.all([once(upstream, 'listening'), once(resolver, 'listening')]);
  ({ port } = upstream.address() as AddressInfo);
  upstream.close();
  const rdapHost = new URL(registry.rdapBaseUrl!).hostname;
  const settings = {
    SERVICE_SECRET: SECRET,
    LOOKUP_PORT: '0',
    LOOKUP_UPSTREAM_EXCEPTIONS: `${registry.whoisServer}:43=127.0.0.1:${port},${rdapHost}:443=127.0.0.1:${port}`,
    LOOKUP_UPSTREAM_PER_SECOND: '1000',
    LOOKUP_DNS_SERVERS: `127.0.0.1:${resolver.address().port}`,
  };
  const start = async () =>
    startLookup({
      config: loadConfig(LookupConfig, settings),
      clock: new SystemClock(),
      logger: new Logger('lookup', { write: () => undefined }),
    });
  [service, denied] = [await start(), await start()];
});
afterAll(async () => {
  upstream.close();
  await Promise.all([service?.stop(), denied?.stop()]);
  resolver.close();
});

async function ask(path: string, label: string, { url } = service) {
  const query = new URLSearchParams({ domainName: `${label}.${registry.tld}` });
  const answer = await fetch(`${url}/internal/${path}?${query}`, {
    headers: {
      authorization: `Bearer ${tokens.issue('gateway', 'lookup')}`,
      'x-account-id': newId(),
    },
  });
  return { status: answer.status, text: await answer.text() };
}
const faults = async ({ url } = service) => {
  const answer = await fetch(`${url}/ready`);
  return [answer.status, ((await answer.json()) as { faults: string[] }).faults];
};

it('if no server at all can be reached, the problem and the readiness say so, until one answers', async () => {
  expect(await faults()).toEqual([200, []]);
  const { status, text } = await ask('whois/live', 'first');
  expect([status, text]).toEqual([503, expect.stringContaining('no way out to the internet')]);
  expect(text).toContain('npm start -- --offline');
  expect(await faults()).toEqual([200, ['upstreams']]);
  upstream.listen(port, '127.0.0.1');
  await once(upstream, 'listening');
  await ask('whois/live', 'second');
  expect(await faults()).toEqual([200, []]);
});

it('a resolver that denies every name, the root too, shows no way out, and its answer is not charged', async () => {
  const { status, text } = await ask('dns/live', 'www', denied);
  expect([status, text]).toEqual([503, expect.stringContaining('no way out to the internet')]);
  expect(text).toContain('Nothing was charged');
  expect(await faults(denied)).toEqual([200, ['upstreams']]);
});
