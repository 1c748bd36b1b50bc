import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LookupClient, type NameFindings, type NameQuestions, ServiceHttp } from '#libs/contracts';
import { Logger, type RunningService, ServiceTokens, loadConfig, newId } from '#libs/platform';
import { DomainLookup } from '#libs/resolvers';
import { TestClock } from '#test/environment';
import { LiveService } from '../../apps/lookup/src/live/live.service.js';
import { LookupConfig } from '../../apps/lookup/src/lookup.config.js';
import { startLookup } from '../../apps/lookup/src/start.js';
import { RegistrySimulator } from '../../apps/simulators/src/registry/registry-simulator.js';

const SECRET = 'a secret between services, long enough';
const clock = new TestClock('2026-11-23T10:00:00Z');
const tokens = new ServiceTokens(SECRET, clock);
const simulator = new RegistrySimulator();
const forever = new AbortController().signal;
let service: RunningService;
let http: ServiceHttp;
let lookup: LookupClient;

beforeAll(async () => {
  const { upstreamExceptions, caFile, dnsServers } = await simulator.start();
  const config = loadConfig(LookupConfig, {
    SERVICE_SECRET: SECRET,
    LOOKUP_PORT: '0',
    LOOKUP_UPSTREAM_EXCEPTIONS: upstreamExceptions,
    LOOKUP_EXTRA_CA_FILE: caFile,
    LOOKUP_DNS_SERVERS: dnsServers,
    // The rate allows ten queries at once, and then none for more than a minute.
    LOOKUP_UPSTREAM_PER_SECOND: '0.01',
  });
  service = await startLookup({ config, clock, logger: new Logger('lookup', { write: () => {} }) });
  http = new ServiceHttp({
    url: service.url,
    caller: 'worker',
    audience: 'lookup',
    tokens,
    timeoutMs: 60_000,
  });
  lookup = new LookupClient(http);
});
afterAll(async () => {
  await http?.close();
  await service?.stop();
  await simulator.stop();
});

async function ask(questions: Partial<NameQuestions>): Promise<NameFindings[]> {
  const all = { kind: 'whois', names: [], priority: 'bulk', maxAgeSeconds: 0, waitSeconds: 0 };
  const found: NameFindings[] = [];
  const asked = { ...all, ...questions } as NameQuestions;
  for await (const one of lookup.ask(asked, { accountId: newId(), signal: forever })) {
    found.push(one);
  }
  return found;
}

describe('a worker’s request for many names', () => {
  it('returns a name whose registry cannot be queried yet as later, and answers the others', async () => {
    const names = Array.from({ length: 40 }, (_, n) => `name-${n}.com`);
    const found = await ask({ names: [...names, 'other-registry.de', '-bad-.com'] });
    expect(found.map(({ index }) => index).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 42 }, (_, index) => index),
    );
    const [answered, later] = [
      found.filter(({ index, body }) => index < 40 && body !== undefined),
      found.filter(({ laterSeconds }) => laterSeconds !== undefined),
    ];
    expect(answered.length).toBeGreaterThan(0);
    expect(later.length).toBeGreaterThan(0);
    expect(answered.length + later.length).toBe(40);
    expect(answered.every(({ isCharged }) => isCharged)).toBe(true);
    expect(later.every(({ isCharged, laterSeconds = 0 }) => !isCharged && laterSeconds > 0)).toBe(
      true,
    );
    expect(found.find(({ index }) => index === 40)).toMatchObject({ outcome: 'delivered' });
    expect(found.find(({ index }) => index === 41)).toMatchObject({
      outcome: 'invalid',
      problem: { code: 'invalid_domain_name' },
    });
  });

  it('is not tried any further at a registry that has no turn for many of its names', async () => {
    const { counts } = service.app.get(DomainLookup, { strict: false });
    const before = counts.started;
    const names = Array.from({ length: 500 }, (_, n) => `busy-${n}.org`);
    const found = await ask({ names });
    expect(counts.started - before).toBeLessThan(100);
    expect(new Set(found.map(({ index }) => index)).size).toBe(500);
    const later = found.filter(({ laterSeconds = 0 }) => laterSeconds > 0);
    expect(later.length).toBeGreaterThan(450);
  });

  it('queries DNS records by type', async () => {
    const [found] = await ask({ kind: 'dns', names: ['name-1.com'], types: ['A'] });
    expect(found).toMatchObject({ index: 0, outcome: 'delivered', isCharged: true });
    expect(found.body).toMatchObject({ domain_name: 'name-1.com', dns_types: { A: 1 } });
  });

  it('has its answers cached only if it is for monitors', async () => {
    const { cache } = service.app.get(LiveService, { strict: false });
    await ask({ names: ['forgotten.fr', 'forgotten.de'] });
    expect(cache.size.entries).toBe(0);
    await ask({ names: ['watched.jp'], priority: 'monitor' });
    expect(cache.size.entries).toBe(1);
  });

  it('is accepted only from a worker, with at most 1,000 names', async () => {
    const names = Array.from({ length: 1_001 }, (_, n) => `n${n}.com`);
    await expect(ask({ names })).rejects.toMatchObject({
      status: 413,
      code: 'payload_too_large',
    });
    const stranger = new ServiceHttp({
      url: service.url,
      caller: 'gateway',
      audience: 'lookup',
      tokens,
      timeoutMs: 60_000,
    });
    const asked = new LookupClient(stranger).ask(
      { kind: 'whois', names: ['a.com'], priority: 'bulk', maxAgeSeconds: 0, waitSeconds: 0 },
      { signal: forever },
    );
    await expect(asked.next()).rejects.toMatchObject({ status: 403 });
    await stranger.close();
  });
});
