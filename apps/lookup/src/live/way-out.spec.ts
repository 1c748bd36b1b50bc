import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, type Socket, createServer } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  Logger,
  type RunningService,
  ServiceTokens,
  SystemClock,
  loadConfig,
  newId,
} from '#libs/platform';
import { Registries, type Route } from '#libs/resolvers';
import { LookupConfig } from '../lookup.config.js';
import { startLookup } from '../start.js';

const SECRET = 'a secret between services, long enough';

const CUT_OFF = 'seems to have no internet connection';

const tokens = new ServiceTokens(SECRET, new SystemClock());
const hostsOf = ({ rdapBaseUrl, whoisServer }: Route) => [
  new URL(rdapBaseUrl!).hostname,
  whoisServer!,
];
/** Three registries, each with its RDAP and WHOIS hosts under its own `nic.<tld>`, so that they share no host. */
const [first, second, third] = Registries.vendored()
  .routes()
  .filter(({ tld, rdapBaseUrl, whoisServer }) => {
    const above = `.nic.${tld}`;
    return (
      rdapBaseUrl && new URL(rdapBaseUrl).hostname.endsWith(above) && whoisServer?.endsWith(above)
    );
  });
/** A connection to a multicast address fails at once, on any machine. */
const UNREACHABLE = '224.0.0.1:43';
const sockets = new Set<Socket>();
const upstream = createServer((socket) => {
  sockets.add(socket);
  socket.on('error', () => {});
  socket.once('data', () => socket.end('Domain Name: x\nCreation Date: 2020-02-03T04:05:06Z\n'));
});
/** A local resolver that answers every query with NXDOMAIN. */
const resolver = createSocket('udp4');
resolver.on('message', (query, { port: to, address }) => {
  const reply = Buffer.from(query.subarray(0, query.indexOf(0, 12) + 5));
  reply.writeUInt16BE(0x8183, 2);
  reply.writeUInt16BE(0, 10);
  resolver.send(reply, to, address);
});
/** A service that queries only this resolver and has not reached any server. */
let denied: RunningService;
let service: RunningService;

beforeAll(async () => {
  upstream.listen(0, '127.0.0.1');
  resolver.bind(0, '127.0.0.1');
  await Promise.all([once(upstream, 'listening'), once(resolver, 'listening')]);
  const { port } = upstream.address() as AddressInfo;
  const exceptions = (registry: Route, address: string) => {
    const [rdapHost, whoisHost] = hostsOf(registry);
    return [`${rdapHost}:443=${address}`, `${whoisHost}:43=${address}`];
  };
  const settings = {
    SERVICE_SECRET: SECRET,
    LOOKUP_PORT: '0',
    LOOKUP_UPSTREAM_EXCEPTIONS: [
      ...exceptions(first, UNREACHABLE),
      ...exceptions(second, UNREACHABLE),
      ...exceptions(third, `127.0.0.1:${port}`),
    ].join(),
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
  for (const socket of sockets) socket.destroy();
  await Promise.all([service?.stop(), denied?.stop()]);
  resolver.close();
});

async function ask(path: string, domainName: string, { url } = service) {
  const query = new URLSearchParams({ domainName });
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

it('if the servers of several registries are all unreachable, the error and the readiness check report this until one of them answers', async () => {
  expect(await faults()).toEqual([200, []]);
  const one = await ask('whois/live', `a.${first.tld}`);
  expect([one.status, one.text]).toEqual([503, expect.not.stringContaining(CUT_OFF)]);
  expect(await faults()).toEqual([200, []]);
  const { status, text } = await ask('whois/live', `a.${second.tld}`);
  expect([status, text]).toEqual([503, expect.stringContaining(CUT_OFF)]);
  expect(text).toContain('npm start -- --offline');
  expect(await faults()).toEqual([200, ['upstreams']]);
  await ask('whois/live', `a.${third.tld}`);
  expect(await faults()).toEqual([200, []]);
});

it('if a resolver denies the existence of every name, even of the root, the service reports that there is no internet connection, and charges nothing', async () => {
  const { status, text } = await ask('dns/live', `www.${first.tld}`, denied);
  expect([status, text]).toEqual([503, expect.stringContaining(CUT_OFF)]);
  expect(text).toContain('Nothing was charged');
  expect(await faults(denied)).toEqual([200, ['upstreams']]);
});
