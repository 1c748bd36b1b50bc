import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OUTCOMES, type Outcome } from '#libs/contracts';
import { parseDomainName } from '#libs/domain-names';
import { Logger, ServiceTokens, type RunningService, loadConfig } from '#libs/platform';
import type { DnsAnswer, DnsRecord } from '#libs/resolvers';
import { TestClock } from '#test/environment';
import { fixtureLookup } from '../fixtures/fixtures.js';
import { LookupConfig } from '../lookup.config.js';
import { startLookup } from '../start.js';
import { type Delegation, delegationIn, registryWord, verdictOf } from './availability.js';
import { suggestionsFor } from './suggestions.js';

const SECRET = 'a-service-secret-of-at-least-32-characters';
const ANSWER: Omit<DnsAnswer, 'questionName' | 'rcode' | 'answers'> = {
  id: 1,
  isResponse: true,
  isTruncated: false,
  isCut: false,
  isAuthoritative: false,
  isAuthenticated: false,
  questionType: 2,
  authorities: [],
  server: '127.0.0.1:53',
  protocol: 'udp',
  latencyMs: 1,
};
const clock = new TestClock('2026-11-22T10:00:00Z');

describe('availability of a name', () => {
  it.each<[Outcome, 'rdap' | 'whois43', Delegation, string, string | undefined]>([
    ['not_registered', 'rdap', 'not_delegated', 'available', 'rdap'],
    ['not_registered', 'whois43', 'not_delegated', 'available', 'whois'],
    ['not_registered', 'rdap', 'unknown', 'available', 'rdap'],
    ['not_registered', 'whois43', 'unknown', 'unknown', undefined],
    ['not_registered', 'rdap', 'unclear', 'unknown', undefined],
    ['not_registered', 'rdap', 'delegated', 'registered', 'dns'],
    ['delivered', 'rdap', 'unclear', 'registered', 'rdap'],
    ['delivered', 'rdap', 'not_delegated', 'registered', 'rdap'],
    ['partial', 'whois43', 'not_delegated', 'registered', 'whois'],
    ['restricted', 'rdap', 'not_delegated', 'restricted', 'rdap'],
    ['throttled', 'rdap', 'not_delegated', 'unknown', undefined],
    ['throttled', 'rdap', 'delegated', 'registered', 'dns'],
    ['unsupported', 'rdap', 'delegated', 'registered', 'dns'],
    ['unsupported', 'rdap', 'not_delegated', 'unknown', undefined],
  ])('registry: %s by %s, name servers: %s → %s', (outcome, protocol, delegation, word, method) => {
    const verdict = verdictOf({ outcome, protocol }, delegation);
    expect([verdict.availability, verdict.method]).toEqual([word, method]);
  });

  it('if a registrar does not answer, the protocol is that of the registry’s answer', () => {
    const lookup = fixtureLookup('registered.test', clock.now());
    const [registry, registrar] = lookup.sources;
    const sources = [
      { ...registry, protocol: 'whois43' as const },
      { ...registrar, outcome: 'timeout' as const, record: undefined },
    ];
    const word = registryWord({ ...lookup, outcome: 'partial', sources });
    expect(word).toEqual({ outcome: 'partial', protocol: 'whois43' });
  });

  it('the answer is "available" only if a registry says so, and never if name servers contradict it', () => {
    for (const outcome of OUTCOMES) {
      for (const delegation of ['delegated', 'not_delegated', 'unclear', 'unknown'] as const) {
        const { availability } = verdictOf({ outcome, protocol: 'rdap' }, delegation);
        const isDoubted = delegation === 'delegated' || delegation === 'unclear';
        const mayBe = outcome === 'not_registered' && !isDoubted;
        if (!mayBe) expect(availability).not.toBe('available');
      }
    }
  });

  it('an alias does not count as available, even if its target does not exist', () => {
    const name = 'sample.example';
    const alias = { type: 'CNAME', name, ttlSeconds: 60, target: 'gone.example' } as const;
    const nameServer = { type: 'NS', name, ttlSeconds: 60, target: 'ns.example' } as const;
    const answer = (rcode: 'noerror' | 'nxdomain' | 'servfail' | 'refused', answers: DnsRecord[]) =>
      delegationIn({ ...ANSWER, questionName: name, rcode, answers }, name);
    expect(answer('nxdomain', [alias])).toBe('unclear');
    expect(answer('noerror', [alias])).toBe('unclear');
    expect(answer('nxdomain', [])).toBe('not_delegated');
    expect(answer('noerror', [])).toBe('not_delegated');
    expect(answer('servfail', [])).toBe('unclear');
    expect(answer('refused', [])).toBe('unknown');
    expect(answer('noerror', [nameServer])).toBe('delegated');
  });

  it('a name with a zone of its own does not count as available, even if the servers of the zone do not return its NS records', () => {
    const name = 'sample.example';
    const numbers = { serial: 1, refresh: 1, retry: 1, expire: 1, minimum: 1 };
    const start = (zone: string) =>
      ({ type: 'SOA', name: zone, ttlSeconds: 60, mname: 'a', rname: 'b', ...numbers }) as const;
    const answer = (authority: DnsRecord) =>
      delegationIn(
        { ...ANSWER, questionName: name, rcode: 'noerror', answers: [], authorities: [authority] },
        name,
      );
    expect(answer(start(name))).toBe('delegated');
    expect(answer({ type: 'NS', name, ttlSeconds: 60, target: 'ns.example' })).toBe('delegated');
    expect(answer(start('example'))).toBe('not_delegated');
  });

  it('a name under .name that exists without records of its own is shared by names below it', () => {
    const shared = 'doe.name';
    const answer = (rcode: 'noerror' | 'nxdomain') =>
      delegationIn({ ...ANSWER, questionName: shared, rcode, answers: [] }, shared);
    expect(answer('noerror')).toBe('unclear');
    expect(answer('nxdomain')).toBe('not_delegated');
  });

  it('a contradiction between registry and name servers is reported', () => {
    const verdict = verdictOf({ outcome: 'not_registered', protocol: 'rdap' }, 'delegated');
    expect(verdict).toMatchObject({ isContradiction: true });
    expect(verdict.confidence).toBeLessThan(0.9);
  });
});

describe('suggested names', () => {
  const like = (name: string) => {
    const parsed = parseDomainName(name);
    if (!parsed.ok) throw new Error(parsed.message);
    return [...suggestionsFor(parsed.domain)].map((one) => one.name);
  };

  it('are many, valid, and different from the name and from one another', () => {
    for (const label of ['example', 'fast-cars', 'x1', 'a', 'a'.repeat(63)]) {
      const names = like(`${label}.com`);
      expect(names.length).toBeGreaterThanOrEqual(26);
      expect(new Set(names).size).toBe(names.length);
      expect(names).not.toContain(`${label}.com`);
      for (const name of names)
        expect(name).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.[a-z]+$/);
    }
    expect(like('fast-cars.com')).toEqual(
      expect.arrayContaining(['fastcars.com', 'quickcars.com']),
    );
    expect(like('bluegarden.com')).toEqual(
      expect.arrayContaining(['blue-garden.com', 'blueyard.com', 'bluegardens.com']),
    );
  });

  it.each([
    ['carpet.com', /autopet|petauto/],
    ['techno.com', /digitalno|labsno/],
    ['business.com', /^busines\./],
    ['press.com', /^pres\./],
  ])('in %s, no word is replaced or cut off within a longer word', (name, nonsense) => {
    expect(like(name).filter((one) => nonsense.test(one))).toEqual([]);
  });

  it('a word is not replaced by a word that is already in the name', () => {
    expect(like('greengarden.com')).toContain('greenyard.com');
    expect(like('greengarden.com')).not.toContain('greengreen.com');
  });

  it('suggestions are never public suffixes, which cannot be registered', () => {
    const suffixes = ['a', 'x', 'brand', 'press', 'net', 'co', 'me', 'gov', 'org', 'com', 'ac'];
    for (const label of suffixes) {
      const names = like(`${label}.xyz`);
      expect(names.filter((name) => !parseDomainName(name).ok)).toEqual([]);
      expect(names.length).toBeGreaterThan(100);
    }
    expect(like('me.xyz')).not.toContain('me.uk');
  });

  it.each(['tax.gov.uk', 'school.edu', 'base.mil', 'sales.google'])(
    'nothing is suggested under the closed suffix of %s',
    (name) => {
      const suffix = name.slice(name.indexOf('.'));
      expect(like(name).filter((one) => one.endsWith(suffix))).toEqual([]);
      expect(like(name)).toContain(`${name.slice(0, name.indexOf('.'))}.com`);
    },
  );

  it('an internationalised label is suggested only where the registry accepts it', () => {
    expect(like('bücher.com')).toContain('xn--bcher-kva.de');
    expect(like('bücher.com')).toContain('xn--bcheronline-thb.com');
    expect(like('bücher.com').length).toBeGreaterThan(100);
    expect(like('bücher.io').filter((one) => /\.(nl|uk|us|io)$/.test(one))).toEqual([]);
    expect(like('bücher.com').filter((one) => /\.(nl|uk|us|io)$/.test(one))).toEqual([]);
    expect(like('магазин.com').filter((one) => /\.(de|fr|eu|nl)$/.test(one))).toEqual([]);
    expect(like('магазин.com').length).toBeGreaterThan(5);
  });
});

describe('the service', () => {
  let service: RunningService;
  let tokens: ServiceTokens;

  beforeAll(async () => {
    const config = loadConfig(LookupConfig, { SERVICE_SECRET: SECRET, LOOKUP_PORT: '0' });
    const logger = new Logger('lookup', { write: () => undefined });
    service = await startLookup({ config, clock, logger });
    tokens = new ServiceTokens(SECRET, clock);
  });
  afterAll(() => service?.stop());

  async function ask(query: string, body?: object) {
    const answer = await fetch(`${service.url}/internal/availability?${query}`, {
      method: body ? 'POST' : 'GET',
      headers: {
        authorization: `Bearer ${tokens.issue('gateway', 'lookup')}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return {
      status: answer.status,
      charged: answer.headers.get('x-charged-items'),
      body: (await answer.json()) as Record<string, unknown>,
    };
  }

  it('answers fixtures as documented, free of charge', async () => {
    expect(await ask('domainName=available.test')).toMatchObject({
      status: 200,
      charged: '0',
      body: { status: true, availability: 'available', domain_availability: true, method: 'rdap' },
    });
    expect((await ask('domainName=registered.test')).body).toMatchObject({
      availability: 'registered',
      domain_availability: false,
    });
    expect((await ask('domainName=throttled.test')).body).toMatchObject({
      availability: 'unknown',
      domain_availability: null,
    });
  });

  it('suggests as many names as requested, each of which is available', async () => {
    const { body } = await ask('domainName=registered.test&sug=true&count=7');
    const suggestions = body.suggestions as { domain: string; availability: string }[];
    expect(suggestions).toHaveLength(7);
    expect(new Set(suggestions.map(({ domain }) => domain)).size).toBe(7);
    expect(suggestions.every(({ availability }) => availability === 'available')).toBe(true);
  });

  it('answers several names in order, and one name under several suffixes', async () => {
    const names = { domainNames: ['registered.test', '-x-.example', 'available.test'] };
    expect((await ask('', names)).body).toMatchObject({
      domains: [
        { index: 0, status: true, availability: 'registered' },
        { index: 1, status: false, code: 'invalid_domain_name' },
        { index: 2, status: true, availability: 'available' },
      ],
      summary: { delivered: 2, failed: 1 },
    });
    expect((await ask('domainName=registered', { tld: ['test', '.test'] })).body).toMatchObject({
      domains: [{ domain: 'registered.test' }, { domain: 'registered.test' }],
    });
    const base = new URLSearchParams({ domainName: 'registered。com' });
    expect((await ask(String(base), { tld: ['test'] })).body).toMatchObject({
      domains: [{ domain: 'registered.test' }],
    });
  });

  it('answers with the selected members', async () => {
    const { body } = await ask('domainName=available.test&fields=domain,availability');
    expect(body).toEqual({ status: true, domain: 'available.test', availability: 'available' });
    const { body: several } = await ask('fields=availability', { domainNames: ['available.test'] });
    expect(several.domains).toEqual([{ index: 0, status: true, availability: 'available' }]);
  });

  it.each([
    ['', { domainNames: ['a.test'], tld: ['test'] }],
    ['', {}],
    ['', { tld: ['test'] }],
    ['domainName=a', { tld: [] }],
    ['domainName=a', { tld: ['te st'] }],
  ])('"%s" with %j is refused', async (query, body) => {
    expect(await ask(query, body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    });
  });
});
