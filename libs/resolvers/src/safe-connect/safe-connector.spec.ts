import { afterEach, describe, expect, it } from '@jest/globals';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { isBlockedAddress } from './blocked-addresses.js';
import { CertificateAuthority } from './certificate-authority.js';
import { ConnectionError } from './connection-error.js';
import { isHostName } from './host-name.js';
import type { ConnectPurpose } from './purposes.js';
import { SafeConnector, type SafeConnectorOptions } from './safe-connector.js';
import { openTcp } from './sockets.js';
import { parseUpstreamExceptions } from './upstream-exceptions.js';

/** A time limit that is long enough for a busy machine, for tests that are not about limits. */
const PATIENT_MS = 60_000;

const closings: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
});

async function listening(server: Server): Promise<{ port: number; connections: () => number }> {
  const accepted: Socket[] = [];
  server.on('connection', (socket: Socket) => accepted.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closings.push(() => {
    server.close();
    // A stream that is not read does not notice that its client has disconnected.
    for (const socket of accepted) socket.destroy();
  });
  return { port: (server.address() as AddressInfo).port, connections: () => accepted.length };
}

/** Starts a name server that answers every A query with the given addresses, and counts a repeated query once. */
async function nameServer(addresses: string[]) {
  const socket = createSocket('udp4');
  const asked = new Set<number>();
  const counter = {
    get questions() {
      return asked.size;
    },
  };
  socket.on('message', (query, from) => {
    const isA = query.readUInt16BE(query.length - 4) === 1 || query.includes('\0\x01\0\x01');
    if (isA) asked.add(query.readUInt16BE(0));
    const end = query.indexOf(0, 12) + 5;
    const answers = (isA ? addresses : []).map((address) =>
      Buffer.concat([
        Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4]),
        Buffer.from(address.split('.').map(Number)),
      ]),
    );
    const head = Buffer.from(query.subarray(0, end));
    head.writeUInt16BE(0x8180, 2);
    head.writeUInt16BE(answers.length, 6);
    head.writeUInt16BE(0, 10);
    socket.send(Buffer.concat([head, ...answers]), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  closings.push(() => socket.close());
  return { dnsServers: [`127.0.0.1:${socket.address().port}`], counter };
}

async function faultOf(
  options: SafeConnectorOptions | SafeConnector,
  [host, port, purpose]: [string, number, ConnectPurpose],
): Promise<string> {
  try {
    const limits = { timeoutMs: PATIENT_MS };
    const connector = options instanceof SafeConnector ? options : new SafeConnector(options);
    const socket = await connector.safeConnect(host, port, purpose, limits);
    socket.destroy();
    return 'connected';
  } catch (error) {
    return error instanceof ConnectionError ? error.fault : String(error);
  }
}

const blocked = `
  0.0.0.0 0.1.2.3 10.0.0.0 10.0.0.1 10.255.255.255 100.64.0.0 100.64.0.1 100.127.255.255
  127.0.0.0 127.0.0.1 127.0.0.53 127.255.255.255 169.254.0.1 169.254.169.254 169.254.170.2
  172.16.0.0 172.16.0.1 172.20.10.1 172.31.255.255 192.0.0.1 192.0.0.170 192.0.2.1 192.0.2.255
  192.88.99.1 192.168.0.0 192.168.1.1 192.168.255.255 198.18.0.1 198.19.255.255 198.51.100.7
  203.0.113.9 224.0.0.1 224.0.0.251 239.255.255.250 240.0.0.1 255.255.255.255
  :: ::1 ::2 ::7f00:1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:10.0.0.1 ::ffff:a9fe:a9fe
  ::ffff:8.8.8.8 0:0:0:0:0:ffff:7f00:0001 64:ff9b::7f00:1 64:ff9b::8.8.8.8 64:ff9b:1::1 100::1
  2001::1 2001:0:7f00:1:: 2001:2::1 2001:10::1 2001:20::1 2001:db8::1 2001:db8:ffff::1
  2002:7f00:1:: 2002:a00:1::1 3fff::1 5f00::1 fc00::1 fd00::1 fd12:3456:789a::1 fe80::1
  fe80::1%lo fe80::1%eth0 febf::1 fec0::1 ff00::1 ff02::1 ff02::fb ff0e::1 4000::1 8000::1 ::ffff:0:0`;
const open = `
  1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1
  169.253.255.255 172.15.255.255 172.32.0.0 192.0.1.1 192.167.255.255 198.17.255.255 198.20.0.0
  223.255.255.255 2001:200::1 2001:4860:4860::8888 2003::1 2600::1 2a00::1 3ffe::1`;
const words = (text: string) => text.trim().split(/\s+/);

describe('addresses', () => {
  it('S55: the tables of blocked and allowed addresses have at least eighty rows', () => {
    expect(words(blocked).length + words(open).length).toBeGreaterThanOrEqual(80);
  });

  it.each(words(blocked))('S55: %s is refused', (address) => {
    expect(isBlockedAddress(address)).toBe(true);
  });

  it.each(words(open))('S55: %s, next to a blocked range, is allowed', (address) => {
    expect(isBlockedAddress(address)).toBe(false);
  });

  it.each(['', 'localhost', '0x7f000001', '2130706433', '127.1', '0177.0.0.1', '1.2.3.4\n'])(
    'S56: %j is neither an allowed address nor a host name',
    (address) => {
      expect(isBlockedAddress(address)).toBe(true);
      expect(isHostName(address)).toBe(false);
    },
  );
});

describe('SafeConnector', () => {
  it.each(words(blocked).filter((address) => !address.includes('%')))(
    'S55: a direct connection to %s is rejected',
    async (address) => {
      expect(await faultOf({}, [address, 43, 'whois'])).toBe('blocked_address');
    },
  );

  it('S54: a name with one private address among public ones is rejected, and nothing is contacted', async () => {
    const { dnsServers, counter } = await nameServer(['1.1.1.1', '127.0.0.1']);
    const target: [string, number, ConnectPurpose] = ['whois.nic.example', 43, 'whois'];
    expect(await faultOf({ dnsServers }, target)).toBe('blocked_address');
    expect(counter.questions).toBe(1);
  });

  it('S54: a name without an address is unresolved', async () => {
    const { dnsServers } = await nameServer([]);
    expect(await faultOf({ dnsServers }, ['nic.example', 43, 'whois'])).toBe('unresolved');
  });

  it('S54: the checked address is used without resolving the name a second time', async () => {
    const server = await listening(createServer((socket) => socket.end()));
    const signal = AbortSignal.timeout(PATIENT_MS);
    const socket = await openTcp('no-such-name.invalid', ['127.0.0.1'], server.port, signal);
    expect(socket.remoteAddress).toBe('127.0.0.1');
    socket.destroy();
  });

  it.each(['no-such-name.invalid', '1.1.1.1'])(
    'S54: a connection to %s without a checked address never reaches this machine',
    async (host) => {
      const server = await listening(createServer((socket) => socket.end()));
      const opening = openTcp(host, [], server.port, AbortSignal.timeout(PATIENT_MS));
      await expect(opening).rejects.toMatchObject({ fault: 'unresolved' });
      expect(server.connections()).toBe(0);
    },
  );

  it('if the first checked address refuses, the next one is tried', async () => {
    const server = await listening(createServer((socket) => socket.end()));
    const signal = AbortSignal.timeout(PATIENT_MS);
    const socket = await openTcp('two.invalid', ['::1', '127.0.0.1'], server.port, signal);
    expect(socket.remoteAddress).toBe('127.0.0.1');
    socket.destroy();
  });

  it('S54: in this library, only safe-connect and the DNS and RDAP clients open connections or resolve names', () => {
    const root = 'libs/resolvers/src';
    const wayOut =
      /from '(undici|node:(net|tls|dns|dgram|http|https|http2))'|(?<!\.|async )\bfetch\(/;
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => !/\.(spec|contract)\.ts$/.test(file) && file.endsWith('.ts'))
      .filter((file) => !file.startsWith('safe-connect/'));
    expect(files.length).toBeGreaterThan(10);
    const offenders = files.filter((file) => {
      const source = readFileSync(`${root}/${file}`, 'utf8');
      const harmless = /import type .*|import \{ (isIP[^}]*|BlockList) \} .*/g;
      return source.replace(harmless, '').match(wayOut) !== null;
    });
    // The RDAP client gets every connection from `SafeConnector`; the DNS client queries only the operator's resolvers,
    // wherever they are.
    expect(offenders.sort()).toEqual([
      'dns/dns-client.ts',
      'dns/tcp-exchange.ts',
      'dns/udp-server.ts',
      'rdap/rdap-client.ts',
    ]);
  });

  it.each<[string, number, ConnectPurpose]>([
    ['whois.evil.example', 6379, 'whois'],
    ['whois.evil.example', 443, 'whois'],
    ['rdap.evil.example', 80, 'rdap'],
    ['rdap.evil.example', 8443, 'rdap'],
    ['hook.evil.example', 22, 'webhook'],
    ['hook.evil.example', 80, 'webhook'],
    ['files.evil.example', 8443, 'source'],
  ])('S57: %s:%d is refused for %s', async (...target) => {
    expect(await faultOf({}, target)).toBe('blocked_port');
  });

  it.each<[ConnectPurpose, number[]]>([
    ['whois', [43]],
    ['rdap', [443]],
    ['webhook', [443]],
    ['source', [443]],
  ])('S57: of more than a thousand ports, %s can use only %j', async (purpose, own) => {
    const { dnsServers } = await nameServer(['127.0.0.1']);
    const connector = new SafeConnector({ dnsServers });
    const tried = [...Array.from({ length: 1_024 }, (_, port) => port), 5432, 6379, 8443, 65_535];
    const faults = await Promise.all(
      tried.map((port) => faultOf(connector, ['a.example', port, purpose])),
    );
    const others = tried.filter((_, at) => faults[at] !== 'blocked_port');
    expect(others).toEqual(own);
    // On an allowed port, the rule for addresses prevents the connection.
    expect(new Set(faults)).toEqual(new Set(['blocked_port', 'blocked_address']));
  });

  it.each(['localhost', 'a_b.example', '-a.example', '127.1', '0x7f.1', 'a.b.0x7f', 'a b.example'])(
    'S56: the host %j is rejected before it is resolved',
    async (host) => {
      expect(await faultOf({}, [host, 43, 'whois'])).toBe('bad_host');
    },
  );

  it('an operator’s exception applies to one host and port only', async () => {
    const server = await listening(createServer((socket) => socket.end()));
    const text = `whois.nic.example:43=127.0.0.1:${server.port}`;
    const { dnsServers } = await nameServer(['127.0.0.1']);
    const options = { exceptions: parseUpstreamExceptions(text), dnsServers };
    expect(await faultOf(options, ['WHOIS.nic.example.', 43, 'whois'])).toBe('connected');
    expect(await faultOf(options, ['whois.other.example', 43, 'whois'])).toBe('blocked_address');
    expect(await faultOf(options, ['whois.nic.example', 443, 'rdap'])).toBe('blocked_address');
    expect(server.connections()).toBe(1);
  });

  it.each(['nonsense', 'a.example:43=localhost:43', 'a.example=127.0.0.1:43', 'a.example:0=::1:1'])(
    'the exception %j is rejected at startup',
    (text) => {
      expect(() => parseUpstreamExceptions(text)).toThrow(text);
    },
  );

  it('a certificate must be valid now, for the host, and from a trusted authority', async () => {
    const authority = new CertificateAuthority();
    const target: [string, number, ConnectPurpose] = ['rdap.nic.example', 443, 'rdap'];
    const fault = async (hosts: string[], expiryYear: number, extraCaPem?: string) => {
      const issued = authority.certificateFor(hosts, { expiryYear });
      const pem = { key: issued.keyPem, cert: issued.certificatePem };
      const { port } = await listening(createTlsServer(pem, (socket) => socket.end()));
      const exceptions = parseUpstreamExceptions(`rdap.nic.example:443=127.0.0.1:${port}`);
      return faultOf({ exceptions, ...(extraCaPem === undefined ? {} : { extraCaPem }) }, target);
    };
    const trusted = authority.certificatePem;
    expect(await fault(['rdap.nic.example'], 49, trusted)).toBe('connected');
    expect(await fault(['rdap.nic.example'], 21, trusted)).toBe('tls_failed');
    expect(await fault(['rdap.other.example'], 49, trusted)).toBe('tls_failed');
    expect(await fault(['rdap.nic.example'], 49)).toBe('tls_failed');
  });

  it('a server that accepts a connection but never starts TLS is abandoned when the time is up', async () => {
    const server = await listening(createServer());
    const exceptions = parseUpstreamExceptions(`rdap.nic.example:443=127.0.0.1:${server.port}`);
    const connector = new SafeConnector({ exceptions });
    const connecting = connector.safeConnect('rdap.nic.example', 443, 'rdap', { timeoutMs: 50 });
    await expect(connecting).rejects.toMatchObject({ fault: 'connect_timeout' });
  });

  it('a call with an aborted signal neither resolves the name nor opens a connection', async () => {
    const { dnsServers, counter } = await nameServer(['1.1.1.1']);
    const connector = new SafeConnector({ dnsServers });
    const limits = { timeoutMs: 5000, signal: AbortSignal.abort() };
    const connecting = connector.safeConnect('whois.nic.example', 43, 'whois', limits);
    await expect(connecting).rejects.toMatchObject({ fault: 'cancelled' });
    expect(counter.questions).toBe(0);
  });
});
