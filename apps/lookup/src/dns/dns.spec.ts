import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type Socket, createSocket } from 'node:dgram';
import { once } from 'node:events';
import { DNS_BULK, limitsOf } from '#libs/contracts';
import { Logger, SECOND_MS, ServiceTokens, type RunningService, loadConfig } from '#libs/platform';
import { DnsClient, DnsFault } from '#libs/resolvers';
import { TestClock } from '#test/environment';
import { LookupConfig } from '../lookup.config.js';
import { startLookup } from '../start.js';

const SECRET = 'a-service-secret-of-at-least-32-characters';
const clock = new TestClock('2026-11-22T10:00:00Z');
const SERVFAIL = 2;
/** The highest allowed time limit, so that a slow machine is not mistaken for a silent resolver. */
const PATIENT_MS = '25000';
let service: RunningService;
/** A service with a short time limit, for resolvers that never answer. */
let impatient: RunningService;
/** A service whose time limit for a whole request is much shorter than its time limit for one query. */
let hurried: RunningService;
let tokens: ServiceTokens;
let resolver: Socket;
/** The queried names and type codes in the order of arrival. */
const asked: [name: string, type: number][] = [];

/** `db.corp.example.com`, to which the alias leads. */
const INWARD = Buffer.from('\x02db\x04corp\x07example\x03com\x00', 'latin1');
const ALIAS = Buffer.concat([Buffer.from('c00c000500010000003c0015', 'hex'), INWARD]);
const SECRET_TEXT = Buffer.concat([
  INWARD,
  Buffer.from('001000010000003c0007', 'hex'),
  Buffer.from('\x06secret', 'latin1'),
]);
const NXDOMAIN = 3;

/**
 * Answers as a resolver inside the network of `corp.example.com`. The alias has a different TTL in the answer for each
 * type, as if each were cached separately.
 */
function aliased(question: Buffer, isThere: boolean): Buffer {
  const alias = Buffer.from(ALIAS);
  alias.writeUInt32BE(60 + question.readUInt16BE(question.length - 4), 6);
  const records = isThere ? [alias, SECRET_TEXT] : [alias];
  const reply = Buffer.concat([question, ...records]);
  reply.writeUInt16BE(0x8180 | (isThere ? 0 : NXDOMAIN), 2);
  reply.writeUInt16BE(records.length, 6);
  reply.writeUInt16BE(0, 10);
  return reply;
}

/**
 * Answers with 200 IPv4 addresses, 257 IPv6 addresses, or a text that takes four times as many characters as octets.
 */
function full(question: Buffer, type: number): Buffer {
  const octets = Buffer.concat([Buffer.from([255]), Buffer.alloc(255, 7)]);
  const count = { 1: 200, 28: 257 }[type] ?? 1;
  const data =
    { 1: Buffer.alloc(4, 8), 28: Buffer.alloc(16, 0x26) }[type] ??
    Buffer.concat(Array<Buffer>(48).fill(octets));
  const head = Buffer.from('c00c000000010000003c0000', 'hex');
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(data.length, 10);
  const records = Array<Buffer>(count).fill(Buffer.concat([head, data]));
  const reply = Buffer.concat([question, ...records]);
  reply.writeUInt16BE(0x8180, 2);
  reply.writeUInt16BE(count, 6);
  reply.writeUInt16BE(0, 10);
  return reply;
}

/**
 * Answers 192.0.2.7 for most names and 10.0.0.1 for names that begin with `inside`. For names that begin with `broken`,
 * every query fails; with `half`, only queries for MX fail; with `silent`, nothing is answered; with `alias`, the
 * answer is an alias; with `full`, there are too many records.
 */
function answer(query: Buffer): Buffer | undefined {
  const end = query.indexOf(0, 12) + 1;
  const name = query
    .toString('latin1', 13, end - 1)
    .replaceAll(/[^a-zA-Z0-9_-]/g, '.')
    .toLowerCase();
  const type = query.readUInt16BE(end);
  asked.push([name, type]);
  if (name.startsWith('silent')) return undefined;
  if (name.startsWith('alias')) return aliased(query.subarray(0, end + 4), name.includes('there'));
  if (name.startsWith('full')) return full(query.subarray(0, end + 4), type);
  const isBroken = name.startsWith('broken') || (name.startsWith('half') && type === 15);
  const hasAddress = type === 1 && !isBroken;
  const address = name.startsWith('inside') ? '0a000001' : 'c0000207';
  const record = Buffer.from(`c00c000100010000003c0004${address}`, 'hex');
  const reply = Buffer.concat([query.subarray(0, end + 4), ...(hasAddress ? [record] : [])]);
  reply.writeUInt16BE(0x8180 | (isBroken ? SERVFAIL : 0), 2);
  reply.writeUInt16BE(hasAddress ? 1 : 0, 6);
  reply.writeUInt16BE(0, 10);
  return reply;
}

beforeAll(async () => {
  resolver = createSocket('udp4').bind(0, '127.0.0.1');
  await once(resolver, 'listening');
  resolver.on('message', (query, from) => {
    const reply = answer(query);
    if (reply) resolver.send(reply, from.port, from.address);
  });
  const start = async (dnsTimeoutMs: string, budgetMs = PATIENT_MS) => {
    const config = loadConfig(LookupConfig, {
      SERVICE_SECRET: SECRET,
      LOOKUP_PORT: '0',
      // With spaces, as in other lists.
      LOOKUP_DNS_SERVERS: ` 127.0.0.1:${resolver.address().port}, `,
      LOOKUP_DNS_TIMEOUT_MS: dnsTimeoutMs,
      LOOKUP_BUDGET_MS: budgetMs,
      LOOKUP_DNS_ALLOWED: 'example',
      LOOKUP_DNS_REFUSED: 'corp.example.com',
    });
    const logger = new Logger('lookup', { write: () => undefined });
    return startLookup({ config, clock, logger });
  };
  [service, impatient, hurried] = await Promise.all([
    start(PATIENT_MS),
    start('100'),
    start(PATIENT_MS, '1000'),
  ]);
  tokens = new ServiceTokens(SECRET, clock);
});
afterAll(async () => {
  await Promise.all([service?.stop(), impatient?.stop(), hurried?.stop()]);
  resolver?.close();
});

async function ask(query: string, headers: Record<string, string> = {}, of = service) {
  const authorization = `Bearer ${tokens.issue('gateway', 'lookup')}`;
  const answered = await fetch(`${of.url}/internal/dns/live?${query}`, {
    headers: { authorization, ...headers },
  });
  const body = (await answered.json()) as Record<string, unknown>;
  const retryAfter = answered.headers.get('retry-after');
  return { status: answered.status, outcome: answered.headers.get('x-outcome'), retryAfter, body };
}

describe('DNS records', () => {
  it('are queried by type, for the full name with all its labels', async () => {
    const { status, outcome, body } = await ask('domainName=https://WWW.Example.com/x&type=A,NS');
    expect([status, outcome]).toEqual([200, 'delivered']);
    expect(body).toMatchObject({
      domain_name: 'www.example.com',
      rcode: 'noerror',
      dns_types: { A: 1 },
      dns_records: [
        {
          name: 'www.example.com',
          type: 'A',
          type_code: 1,
          ttl: 60,
          address: '192.0.2.7',
          raw_text: 'www.example.com.\t60\tIN\tA\t192.0.2.7',
        },
      ],
      errors: {},
    });
    expect(asked.map(([name]) => name)).toEqual(['www.example.com', 'www.example.com']);
  });

  it('are also queried for names with service labels, and for public suffixes', async () => {
    expect((await ask('domainName=GOV.UK&type=A')).body).toMatchObject({ domain_name: 'gov.uk' });
    expect((await ask('domainName=_dmarc.example.com&type=TXT')).body).toMatchObject({
      domain_name: '_dmarc.example.com',
      dns_records: [],
    });
  });

  it('are partial if one type fails, and missing if all types fail', async () => {
    expect(await ask('domainName=half.example&type=A,MX')).toMatchObject({
      outcome: 'partial',
      body: { dns_types: { A: 1 }, errors: { MX: 'servfail' } },
    });
    expect(await ask('domainName=broken.example&type=A')).toMatchObject({
      status: 503,
      outcome: 'unreachable',
      body: { code: 'resolver_unreachable' },
    });
    expect(await ask('domainName=silent.example&type=A', {}, impatient)).toMatchObject({
      status: 504,
      outcome: 'timeout',
      body: { code: 'resolver_timeout' },
    });
  });

  it('that are missing are queried again once the wait that the answer names is over', async () => {
    const { retryAfter } = await ask('domainName=broken-again.example&type=A');
    const before = asked.length;
    clock.advance(Number(retryAfter) * SECOND_MS);
    await ask('domainName=broken-again.example&type=A');
    expect(asked.length).toBeGreaterThan(before);
  });

  it('are not delivered in part if too many queries are running; the request is rejected and costs nothing', async () => {
    jest.spyOn(DnsClient.prototype, 'ask').mockRejectedValueOnce(new DnsFault('busy'));
    expect(await ask('domainName=limited.example&type=A,MX')).toMatchObject({
      status: 503,
      retryAfter: '1',
      body: { code: 'lookup_overloaded' },
    });
    expect(await ask('domainName=limited.example&type=A,MX')).toMatchObject({
      outcome: 'delivered',
    });
  });

  it('S124: DNS records are left out if there are too many of a type, or of all types together', async () => {
    const { outcome, body } = await ask('domainName=full.example.com&type=A,AAAA,TXT');
    expect([outcome, body.dns_types]).toEqual(['partial', { A: 1 }]);
    expect(body.errors).toEqual({ AAAA: 'too_many_records', TXT: 'too_many_records' });
    const { body: alone } = await ask('domainName=full.example.com&type=TXT');
    expect([alone.dns_types, alone.errors]).toEqual([{ TXT: 1 }, {}]);
  });

  it('S124: the DNS records of a hundred names fit into one answer, which leaves out types with too many records', async () => {
    const domainNames = Array.from({ length: 100 }, (_, n) => `full-${n}.example.com`);
    const answered = await fetch(`${service.url}/internal/dns/bulk?type=TXT`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${tokens.issue('gateway', 'lookup')}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ domainNames }),
    });
    const text = await answered.text();
    expect(text.length).toBeLessThan(limitsOf(DNS_BULK).answerBytes);
    const { bulk_dns_info: items } = JSON.parse(text) as { bulk_dns_info: object[] };
    const expected = { dns_types: {}, errors: { TXT: 'too_many_records' } };
    expect(items).toEqual(items.map(() => expect.objectContaining(expected)));
  });

  it('of several names share the time limit of one lookup, and time out if they have no answer by then', async () => {
    const silent = Array.from({ length: 30 }, (_, n) => `silent-${n}.example`);
    const answered = await fetch(`${hurried.url}/internal/dns/bulk?type=A`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${tokens.issue('gateway', 'lookup')}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ domainNames: ['www.example.com', ...silent] }),
    });
    const { bulk_dns_info: items, summary } = (await answered.json()) as {
      bulk_dns_info: object[];
      summary: object;
    };
    expect(summary).toEqual({ delivered: 1, failed: silent.length });
    expect(items[0]).toMatchObject({ domain_name: 'www.example.com', dns_types: { A: 1 } });
    expect(items.at(-1)).toMatchObject({
      domain_name: 'silent-29.example',
      code: 'resolver_timeout',
    });
    expect(asked.map(([name]) => name)).not.toContain('silent-29.example');
  });

  it('list an alias once, although each type returns it with a different TTL', async () => {
    const { body } = await ask('domainName=alias.example&type=MX,A,TXT,CNAME');
    expect(body).toMatchObject({
      dns_types: { CNAME: 1 },
      dns_records: [{ type: 'CNAME', ttl: 61, target: 'db.corp.example.com' }],
    });
  });

  it('are not queried again within the repeat window', async () => {
    await ask('domainName=repeat.example&type=A');
    const before = asked.length;
    await ask('domainName=repeat.example&type=A', { 'x-repeat': '1' });
    expect(asked.length).toBe(before);
    await ask('domainName=repeat.example&type=A');
    expect(asked.length).toBe(before + 1);
  });

  it('are always the same for fixtures, and other names under "test" do not exist', async () => {
    const before = asked.length;
    expect((await ask('domainName=registered.test')).body).toMatchObject({
      dns_types: { A: 1, AAAA: 1, NS: 2, MX: 1, TXT: 1, SPF: 1, SOA: 1, CAA: 1 },
    });
    expect((await ask('domainName=redacted.test&type=A')).body).toMatchObject({
      dns_records: [{ name: 'redacted.test' }],
    });
    expect((await ask('domainName=available.test')).body).toMatchObject({ rcode: 'nxdomain' });
    expect(asked.length).toBe(before);
  });
});

describe('S123: private addresses', () => {
  it.each([
    'kubernetes.default.svc.cluster.local',
    'metadata.google.internal',
    'router.lan',
    'nas.home.arpa',
    '1.0.0.10.in-addr.arpa',
    'db.corp.example.com',
    'hidden.onion',
    'wpad.localdomain',
    'printer.local',
    'a.localhost',
    'a.invalid',
    'a.alt',
    'a.internal',
    'www.undelegated',
    'a.resolver.arpa',
    '1.1.168.192.in-addr.arpa',
  ])('%s is refused, and no resolver is queried', async (name) => {
    const before = asked.length;
    expect(await ask(`domainName=${name}`)).toMatchObject({
      status: 422,
      body: { code: 'name_not_public' },
    });
    expect(asked.length).toBe(before);
  });

  it('are omitted from an answer, which says so', async () => {
    expect((await ask('domainName=inside.example.com&type=A')).body).toMatchObject({
      dns_records: [],
      errors: { A: 'private_address' },
    });
  });

  it('of an internal name are not revealed through a stranger’s alias, nor is the existence of the name', async () => {
    const [there, gone] = await Promise.all(
      ['alias-there', 'alias-gone'].map(async (name) =>
        ask(`domainName=${name}.example.com&type=TXT,CNAME`),
      ),
    );
    for (const { status, outcome, body } of [there, gone]) {
      expect([status, outcome, body.rcode]).toEqual([200, 'partial', 'noerror']);
      expect(body).toMatchObject({
        errors: { TXT: 'private_name' },
        dns_records: [{ type: 'CNAME', target: 'db.corp.example.com' }],
      });
    }
    expect(JSON.stringify(there.body)).not.toContain('secret');
  });
});

describe('names of an address', () => {
  it('are queried under its reverse name', async () => {
    expect((await ask('ipAddress=8.8.4.4')).body).toMatchObject({ ip_address: '8.8.4.4' });
    expect(asked.at(-1)).toEqual(['4.4.8.8.in-addr.arpa', 12]);
    expect((await ask('ipAddress=192.0.2.1')).body).toMatchObject({
      dns_records: [{ type: 'PTR', target: 'registered.test' }],
    });
  });

  it.each(['10.0.0.1', '::1', '169.254.169.254', '192.0.2.9'])(
    '%s has none: 422, without a query',
    async (address) => {
      const before = asked.length;
      expect(await ask(`ipAddress=${address}`)).toMatchObject({
        status: 422,
        body: { code: 'bogon_address' },
      });
      expect(asked.length).toBe(before);
    },
  );
});

describe('an invalid request', () => {
  it.each([
    ['', 'invalid_request'],
    ['domainName=a.example&ipAddress=8.8.8.8', 'invalid_request'],
    ['domainName=a.example&type=A,ANY', 'invalid_request'],
    ['domainName=-a.example', 'invalid_domain_name'],
    ['domainName=127.0.0.1', 'invalid_domain_name'],
    ['ipAddress=127.1', 'invalid_request'],
  ])('"%s" is refused: %s', async (query, code) => {
    expect(await ask(query)).toMatchObject({ status: 400, body: { code } });
  });
});
