import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger, ServiceTokens, type RunningService, loadConfig } from '#libs/platform';
import { TestClock } from '#test/environment';
import { LookupConfig } from '../lookup.config.js';
import { startLookup } from '../start.js';

const clock = new TestClock('2026-11-22T10:00:00Z');
const SECRET = 'a-service-secret-of-at-least-32-characters';
let service: RunningService;
let tokens: ServiceTokens;

beforeAll(async () => {
  const config = loadConfig(LookupConfig, { SERVICE_SECRET: SECRET, LOOKUP_PORT: '0' });
  const logger = new Logger('lookup', { write: () => undefined });
  service = await startLookup({ config, clock, logger });
  tokens = new ServiceTokens(SECRET, clock);
});
afterAll(() => service?.stop());

async function post(path: string, body: object, accept = 'application/json') {
  const answer = await fetch(`${service.url}/internal/${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${tokens.issue('gateway', 'lookup')}`,
      'content-type': 'application/json',
      accept,
    },
    body: JSON.stringify(body),
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

type Item = Record<string, unknown>;

const NAMES = ['slow.test', 'registered.test', 'throttled.test', '-bad-.example', 'available.test'];

describe('requests for several names', () => {
  it('are answered in order, each as if it had been requested alone', async () => {
    const { status, headers, text } = await post('whois/bulk', { domainNames: NAMES });
    expect([status, headers.get('x-outcome')]).toEqual([200, 'delivered']);
    const body = JSON.parse(text) as { bulk_whois_response: Item[]; summary: object };
    expect(body.bulk_whois_response).toMatchObject([
      { index: 0, status: true, domain_name: 'slow.test', domain_registered: 'yes' },
      { index: 1, status: true, domain_name: 'registered.test' },
      {
        index: 2,
        status: false,
        domain_name: 'throttled.test',
        status_code: 503,
        code: 'upstream_throttled',
      },
      { index: 3, status: false, status_code: 400, code: 'invalid_domain_name' },
      { index: 4, status: true, domain_registered: 'no' },
    ]);
    expect(body.summary).toEqual({ delivered: 3, failed: 2 });
  });

  it('can return a stream: each answer as soon as it is ready, marked as charged or free, and a summary last', async () => {
    const { headers, text } = await post(
      'whois/bulk',
      { domainNames: NAMES },
      'application/x-ndjson',
    );
    expect(headers.get('content-type')).toBe('application/x-ndjson');
    const lines = text.trimEnd().split('\n');
    const items = lines.slice(0, -1).map((line) => JSON.parse(line.slice(1)) as Item);
    // The slow name was requested first, and is answered last.
    expect(items.at(-1)).toMatchObject({ index: 0, domain_name: 'slow.test' });
    expect(items.map(({ index }) => index).toSorted()).toEqual([0, 1, 2, 3, 4]);
    // Fixtures cost nothing.
    expect(lines.slice(0, -1).every((line) => line.startsWith('-'))).toBe(true);
    expect(lines.at(-1)).toBe('={"summary":{"delivered":3,"failed":2}}');
  });

  it.each([
    [{ domainNames: [] }, 'domainNames'],
    [{ domainNames: Array.from({ length: 101 }, () => 'a.test') }, 'domainNames'],
    [{ domainNames: ['a.test', 7] }, 'domainNames'],
    [{ domainNames: 'a.test' }, 'domainNames'],
    [{ domainNames: ['a.test'], extra: 1 }, 'extra'],
    [{}, 'domainNames'],
  ])('S94: a request with %j is refused as a whole', async (body, field) => {
    const { status, text } = await post('whois/bulk', body);
    const problem = JSON.parse(text) as { errors: { field: string }[] };
    expect([status, problem.errors[0].field]).toEqual([400, field]);
  });
});

describe('requests for several names and addresses', () => {
  it('are answered in order, names first', async () => {
    const hosts = {
      domainNames: ['registered.test', 'available.test'],
      ipAddresses: ['192.0.2.1', '10.0.0.1', 'none'],
    };
    const { text } = await post('dns/bulk?type=A,MX', hosts);
    const body = JSON.parse(text) as { bulk_dns_info: Item[] };
    expect(body.bulk_dns_info).toMatchObject([
      { index: 0, domain_name: 'registered.test', dns_types: { A: 1, MX: 1 } },
      { index: 1, rcode: 'nxdomain' },
      { index: 2, ip_address: '192.0.2.1', dns_types: { PTR: 1 } },
      { index: 3, ip_address: '10.0.0.1', status: false, code: 'bogon_address' },
      { index: 4, ip_address: 'none', status: false, code: 'invalid_request' },
    ]);
  });

  it('must contain at least one name or address', async () => {
    for (const body of [{}, { domainNames: [], ipAddresses: [] }]) {
      expect((await post('dns/bulk', body)).status).toBe(400);
    }
  });
});
