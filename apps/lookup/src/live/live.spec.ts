import { request } from 'node:http';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type TldList, WHOIS_SECTIONS, WhoisAnswer, WhoisAnswerV1 } from '#libs/contracts';
import { loadConfig, Logger, type RunningService, ServiceTokens, faultsOf } from '#libs/platform';
import { TestClock, scrape } from '#test/environment';
import { LookupConfig } from '../lookup.config.js';
import { startLookup } from '../start.js';

const SECRET = 'a secret between services, long enough';
interface Body {
  [member: string]: unknown;
  code?: string;
  detail?: string;
  errors?: { field: string }[];
  provenance?: { served_from: string };
}

const clock = new TestClock('2026-11-20T11:42:03Z');
const tokens = new ServiceTokens(SECRET, clock);
let folder: string;
let service: RunningService;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lookup-'));
  const config = loadConfig(LookupConfig, {
    SERVICE_SECRET: SECRET,
    LOOKUP_PORT: '0',
    LOOKUP_SOCKET: join(folder, 'lookup.sock'),
  });
  const logger = new Logger('lookup', { write: () => undefined });
  service = await startLookup({ config, clock, logger });
});

afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

async function ask(query: Record<string, string>, headers: Record<string, string> = {}) {
  const authorization = `Bearer ${tokens.issue('gateway', 'lookup')}`;
  const url = `${service.url}/internal/whois/live?${new URLSearchParams(query)}`;
  const response = await fetch(url, { headers: { authorization, ...headers } });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Body,
  };
}

describe('live answers for the fixture names', () => {
  it.each([
    ['registered.test', 200, 'delivered'],
    ['available.test', 200, 'not_registered'],
    ['redacted.test', 200, 'delivered'],
    ['conflict.test', 200, 'delivered'],
    ['throttled.test', 503, 'throttled'],
  ])(
    '%s is answered with status %s and outcome %s, and marked as a fixture',
    async (domainName, status, outcome) => {
      const answer = await ask({ domainName });
      expect(answer.status).toBe(status);
      expect(answer.headers.get('x-outcome')).toBe(outcome);
      expect(answer.headers.get('x-served-from')).toBe('fixture');
    },
  );

  it('a throttled answer contains the time to wait, and never says "not registered"', async () => {
    const { body, headers } = await ask({ domainName: 'throttled.test' });
    expect(headers.get('retry-after')).toBe('60');
    expect(body).toMatchObject({
      code: 'upstream_throttled',
      status: 503,
      retryable: true,
      retry_after: 60,
    });
    expect(body).not.toHaveProperty('domain_registered');
  });

  it('both versions describe the same record', async () => {
    const [first, second] = await Promise.all(
      ['1', '2'].map((version) =>
        ask({ domainName: 'https://WWW.Registered.test./path', version }),
      ),
    );
    expect(first!.body).not.toHaveProperty('provenance');
    expect(second!.body).toMatchObject({
      ...first!.body,
      domain_registrar: expect.anything(),
      registrant_contact: expect.anything(),
      administrative_contact: expect.anything(),
      technical_contact: expect.anything(),
    });
    expect(second!.body.provenance?.served_from).toBe('fixture');
    expect(second!.body.query_time).toBe('2026-11-20 11:42:03');
  });

  it('members excluded by "fields" and "include" are omitted', async () => {
    const some = await ask({ domainName: 'registered.test', fields: 'domain_name,dates.created' });
    expect(some.body).toEqual({
      status: true,
      domain_name: 'registered.test',
      dates: { created: '2001-05-09T09:30:00Z' },
    });
    const bare = await ask({ domainName: 'registered.test', include: 'raw' });
    expect(bare.body).not.toHaveProperty('provenance');
  });

  it('a regular file at the socket path is not changed, and the start fails as a whole', async () => {
    const path = join(folder, 'precious.txt');
    await writeFile(path, 'kept');
    const config = loadConfig(LookupConfig, {
      SERVICE_SECRET: SECRET,
      LOOKUP_PORT: '0',
      LOOKUP_SOCKET: path,
    });
    const logger = new Logger('lookup', { write: () => undefined });
    await expect(startLookup({ config, clock, logger })).rejects.toThrow('EADDRINUSE');
    expect(await readFile(path, 'utf8')).toBe('kept');
  });

  it('answers are the same on the Unix socket', async () => {
    const text = await new Promise<string>((resolve, reject) => {
      const headers = { authorization: `Bearer ${tokens.issue('gateway', 'lookup')}` };
      const path = '/internal/whois/live?domainName=registered.test';
      request(
        { socketPath: join(folder, 'lookup.sock'), path, headers, agent: false },
        (response) => {
          let body = '';
          response.setEncoding('utf8').on('data', (part: string) => (body += part));
          response.on('end', () => resolve(body));
        },
      )
        .on('error', reject)
        .end();
    });
    expect(JSON.parse(text)).toMatchObject({ status: true, domain_name: 'registered.test' });
  });
});

describe('rejected requests', () => {
  it.each([
    ['127.0.0.1', 'IP address'],
    ['0x7f.1', 'IP address'],
    ['someone@example.com', 'e-mail'],
    [`${'a'.repeat(300)}.com`, 'longer'],
    ['co.uk', 'public suffix'],
  ])('S61 S62: %j is refused with the reason', async (domainName, reason) => {
    const { status, body } = await ask({ domainName });
    expect(status).toBe(400);
    expect(body.code).toBe('invalid_domain_name');
    expect(body.detail).toContain(reason);
  });

  it.each([
    [{}, 'domainName'],
    [{ domainName: '' }, 'domainName'],
    [{ domainName: 'exa\r\nmple.com' }, 'domainName'],
    [{ domainName: 'a.com', fields: '_a' }, 'fields'],
    [{ domainName: 'a.com', version: '3' }, 'version'],
    [{ domainName: 'a.com', max_age: '-1' }, 'max_age'],
    [{ domainName: 'a.com', max_age: 'soon' }, 'max_age'],
    [{ domainName: 'a.com', max_age: '86401' }, 'max_age'],
    [{ domainName: 'a.com', fresh: 'yes' }, 'fresh'],
    [{ domainName: 'a.com', include: 'raw,secrets' }, 'include'],
    [{ domainName: 'a.com', fields: '__proto__.x' }, 'fields'],
    [{ domainName: 'a.com', surprise: '1' }, 'surprise'],
  ])('S90: %j is refused, and the problem names %s', async (query, field) => {
    const { status, body } = await ask(query as Record<string, string>);
    expect(status).toBe(400);
    expect(body.errors?.map((error) => error.field)).toEqual([field]);
  });

  it.each([
    ['nobody.invalidtld', 'no top-level domain'],
    ['unknown.test', 'not a fixture'],
  ])('%s has no registry: 422 with the reason', async (domainName, reason) => {
    const { status, body, headers } = await ask({ domainName });
    expect([status, body.code, headers.get('x-outcome')]).toEqual([
      422,
      'tld_unsupported',
      'unsupported',
    ]);
    expect(body.detail).toContain(reason);
  });

  it('S86: services other than the gateway and the worker are refused', async () => {
    for (const caller of ['account', 'entitlement', 'billing'] as const) {
      const authorization = `Bearer ${tokens.issue(caller, 'lookup')}`;
      expect((await ask({ domainName: 'registered.test' }, { authorization })).status).toBe(403);
    }
    expect((await ask({ domainName: 'registered.test' }, { authorization: '' })).status).toBe(403);
  });
});

describe('a fixture answer', () => {
  it.each(['registered.test', 'available.test', 'redacted.test', 'conflict.test'])(
    'for %s matches the documented schema, in both versions',
    async (domainName) => {
      const include = WHOIS_SECTIONS.join();
      const { body } = await ask({ domainName, version: '2', include });
      expect(faultsOf(WhoisAnswer, body)).toEqual([]);
      const { body: first } = await ask({ domainName, version: '1' });
      expect(faultsOf(WhoisAnswerV1, first)).toEqual([]);
    },
  );
});

describe('coverage', () => {
  it('lists the protocols that answer for each top-level domain', async () => {
    const headers = { authorization: `Bearer ${tokens.issue('gateway', 'lookup')}` };
    const list = (await (
      await fetch(`${service.url}/internal/tlds`, { headers })
    ).json()) as TldList;
    expect(list.tlds).toHaveLength(list.counts.tlds);
    const absent = await fetch(`${service.url}/internal/tlds/nosuch`, { headers });
    expect([absent.status, await absent.text()]).toEqual([404, expect.stringContaining('no such')]);
    const { tlds } = list;
    const of = (tld: string) => tlds.find((entry) => entry.tld === tld);
    expect(of('com')).toMatchObject({ protocols: ['rdap', 'whois43'], whois_reading: 'recorded' });
    expect(of('de')?.protocols).toContain('whois43');
    const silent = tlds.filter(({ protocols }) => protocols.length === 0);
    expect(silent).toHaveLength(list.counts.unsupported);
    for (const { reason } of silent) expect(reason).toBeTruthy();
  });
});

describe('metrics of lookup', () => {
  it('answers are counted by outcome and origin, without the requested names', async () => {
    const name = 'dds_lookup_answers_total{outcome="delivered",served_from="fixture"}';
    const before = (await scrape(service.url)).get(name) ?? 0;
    for (const domainName of ['registered.test', 'redacted.test']) await ask({ domainName });
    const scraped = await scrape(service.url);
    expect(scraped.get(name)).toBe(before + 2);
    expect(scraped.get('dds_lookup_runs_total{result="started"}')).toBe(0);
    expect(scraped.get('dds_lookup_under_way')).toBe(0);
    expect(scraped.get('dds_lookup_cache_entries')).toBe(0);
    expect([...scraped.keys()].join()).not.toContain('.test');
  });
});
