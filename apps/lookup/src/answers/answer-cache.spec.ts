import { describe, expect, it } from '@jest/globals';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '#libs/platform';
import type { Lookup, LookupOutcome } from '#libs/resolvers';
import { TestClock } from '#test/environment';
import { KEPT_DNS } from '../dns/dns.service.js';
import { fixtureLookup } from '../fixtures/fixtures.js';
import { KEPT_DOMAIN } from '../live/kept-domain.js';
import { KEPT_NUMBER } from '../numbers/numbers.service.js';
import { AnswerCache } from './answer-cache.js';

const roomy = { maxEntries: 100, maxBytes: 1_000_000 };

function lookup(domain: string, clock: TestClock, members: Partial<Lookup> = {}): Lookup {
  return { ...fixtureLookup('registered.test', clock.now()), domain, ...members };
}

function failure(
  domain: string,
  clock: TestClock,
  outcome: LookupOutcome,
  retryAfterSeconds?: number,
): Lookup {
  return {
    domain,
    outcome,
    fields: {},
    conflicts: [],
    sources: [],
    fetchedAt: clock.now(),
    retryAfterSeconds,
  };
}

describe('the answer cache', () => {
  it('returns an answer that is no older than requested, and none that is older than a day', () => {
    const clock = new TestClock();
    const cache = new AnswerCache(KEPT_DOMAIN, roomy);
    cache.put('a.com', lookup('a.com', clock));
    clock.advance(MINUTE_MS);
    expect(cache.fresh('a.com', MINUTE_MS, clock.now())?.domain).toBe('a.com');
    expect(cache.fresh('a.com', MINUTE_MS - 1, clock.now())).toBeUndefined();
    clock.advance(DAY_MS - MINUTE_MS);
    expect(cache.fresh('a.com', DAY_MS, clock.now())).toBeUndefined();
    expect(cache.stale('a.com')?.domain).toBe('a.com');
  });

  it('returns no answer as fresh once its registration has expired', () => {
    const clock = new TestClock('2026-03-02T09:00:00Z');
    const cache = new AnswerCache(KEPT_DOMAIN, roomy);
    const expires = { original: '', iso: '2026-03-02T10:00:00Z', precision: 'second' as const };
    const record = { ...fixtureLookup('registered.test', clock.now()).record!, expires };
    cache.put('a.com', lookup('a.com', clock, { record }));
    clock.set('2026-03-02T09:59:59Z');
    expect(cache.fresh('a.com', DAY_MS, clock.now())).toBeDefined();
    clock.set('2026-03-02T10:00:00Z');
    expect(cache.fresh('a.com', DAY_MS, clock.now())).toBeUndefined();
  });

  it('keeps "not registered" for ten minutes', () => {
    const clock = new TestClock();
    const cache = new AnswerCache(KEPT_DOMAIN, roomy);
    cache.put('a.com', { ...fixtureLookup('available.test', clock.now()), domain: 'a.com' });
    clock.advance(10 * MINUTE_MS - 1);
    expect(cache.fresh('a.com', DAY_MS, clock.now())?.outcome).toBe('not_registered');
    clock.advance(1);
    expect(cache.fresh('a.com', DAY_MS, clock.now())).toBeUndefined();
  });

  it('keeps an answer that lacks a source for two minutes', () => {
    const clock = new TestClock();
    const cache = new AnswerCache(KEPT_DOMAIN, roomy);
    cache.put('a.com', lookup('a.com', clock, { outcome: 'partial' }));
    clock.advance(2 * MINUTE_MS - 1);
    expect(cache.fresh('a.com', DAY_MS, clock.now())?.outcome).toBe('partial');
    clock.advance(1);
    expect(cache.fresh('a.com', DAY_MS, clock.now())).toBeUndefined();
  });

  it('keeps a complete answer, while it is fresh, instead of a later partial one', () => {
    const clock = new TestClock();
    const cache = new AnswerCache(KEPT_DOMAIN, roomy);
    const partial = () => cache.put('a.com', lookup('a.com', clock, { outcome: 'partial' }));
    cache.put('a.com', { ...fixtureLookup('available.test', clock.now()), domain: 'a.com' });
    partial();
    expect(cache.stale('a.com')?.outcome).toBe('partial');
    cache.put('a.com', lookup('a.com', clock));
    clock.advance(DAY_MS - 1);
    partial();
    expect(cache.fresh('a.com', DAY_MS, clock.now())?.outcome).toBe('delivered');
    clock.advance(1);
    partial();
    expect(cache.fresh('a.com', DAY_MS, clock.now())?.outcome).toBe('partial');
  });

  it.each([
    ['throttled', undefined, 30],
    ['throttled', 90, 90],
    ['throttled', 3600, 120],
    ['unreachable', undefined, 30],
    ['timeout', undefined, 30],
    ['parse_failed', 1, 30],
  ] as const)(
    'remembers %s with a hint of %s s for %s s, but never returns it as an answer',
    (outcome, hint, keptSeconds) => {
      const clock = new TestClock();
      const cache = new AnswerCache(KEPT_DOMAIN, roomy);
      cache.put('a.com', failure('a.com', clock, outcome, hint));
      expect(cache.fresh('a.com', DAY_MS, clock.now())).toBeUndefined();
      expect(cache.stale('a.com')).toBeUndefined();
      clock.advance(keptSeconds * SECOND_MS - 1);
      expect(cache.failure('a.com', clock.now())).toMatchObject({ outcome, retryAfterSeconds: 1 });
      clock.advance(1);
      expect(cache.failure('a.com', clock.now())).toBeUndefined();
    },
  );

  it('keeps no data that an upstream sent with a failure', () => {
    const clock = new TestClock();
    const cache = new AnswerCache(KEPT_DOMAIN, roomy);
    const { sources } = fixtureLookup('registered.test', clock.now());
    const huge = sources.map((source) => ({ ...source, raw: 'x'.repeat(1_000_000) }));
    cache.put('a.com', { ...failure('a.com', clock, 'parse_failed'), sources: huge });
    expect(JSON.stringify(cache.failure('a.com', clock.now())).length).toBeLessThan(500);
    expect(cache.size.bytes).toBe(0);
  });

  it('keeps the last answer when a later lookup fails, and forgets the failure after the next answer', () => {
    const clock = new TestClock();
    const cache = new AnswerCache(KEPT_DOMAIN, roomy);
    cache.put('a.com', lookup('a.com', clock));
    cache.put('a.com', failure('a.com', clock, 'throttled'));
    expect(cache.stale('a.com')?.outcome).toBe('delivered');
    cache.put('a.com', lookup('a.com', clock));
    expect(cache.failure('a.com', clock.now())).toBeUndefined();
  });

  it('never exceeds its limits of entries and bytes, and evicts the least recently used entry first', () => {
    const clock = new TestClock();
    const cache = new AnswerCache(KEPT_DOMAIN, { maxEntries: 3, maxBytes: 1_000_000 });
    for (const name of ['a.com', 'b.com', 'c.com']) cache.put(name, lookup(name, clock));
    cache.fresh('a.com', DAY_MS, clock.now());
    cache.put('d.com', lookup('d.com', clock));
    expect(cache.stale('b.com')).toBeUndefined();
    expect(cache.stale('a.com')).toBeDefined();
    const small = new AnswerCache(KEPT_DOMAIN, { maxEntries: 1_000, maxBytes: 50_000 });
    for (let i = 0; i < 100; i++) {
      small.put(`n${i}.com`, lookup(`n${i}.com`, clock));
      expect(small.size.bytes).toBeLessThanOrEqual(50_000);
    }
    expect(small.size.entries).toBeGreaterThan(0);
  });

  it('counts no bytes for an evicted entry', () => {
    const clock = new TestClock();
    const cache = new AnswerCache(KEPT_DOMAIN, { maxEntries: 100, maxBytes: 1 });
    cache.put('a.com', lookup('a.com', clock));
    expect(cache.size).toEqual({ entries: 0, bytes: 0 });
  });
});

describe('a failure of one account', () => {
  const fetchedAt = new Date('2026-03-02T09:00:00Z');
  const source = { id: 's1', server: 'rdap.example', fetchedAt, latencyMs: 0 } as const;
  const failed = { outcome: 'throttled', fetchedAt } as const;
  const asked = { ...source, ...failed, protocol: 'rdap', role: 'registry' } as const;

  it.each(['paused', 'queue_full', 'share_used', 'not_ready', 'cancelled', undefined])(
    'is kept for all accounts only if an upstream was queried and had the full time to answer: %s',
    (error) => {
      const isKept = error === undefined;
      const sources = [{ ...asked, error }];
      const number = { ...failed, sources };
      expect(KEPT_NUMBER.isFailureKept(number)).toBe(isKept);
      const domain = { ...number, domain: 'a.com', fields: {}, conflicts: [] };
      expect(KEPT_DOMAIN.isFailureKept(domain)).toBe(isKept);
    },
  );
});

it('DNS records without those of a failed type are fresh for two minutes, or for their shortest TTL', () => {
  const fetchedAt = new Date('2026-03-02T09:00:00Z');
  const name = 'a.com';
  const answer = { name, fetchedAt, errors: {}, isAuthenticated: false, servers: [], latencyMs: 0 };
  const record = { name, type: 'A', address: '192.0.2.1' } as const;
  const fresh = (outcome: 'delivered' | 'partial', ...ttls: number[]) => {
    const records = ttls.map((ttlSeconds) => ({ ...record, ttlSeconds }));
    return KEPT_DNS.freshForMs({ ...answer, outcome, records });
  };
  expect(fresh('delivered', 3_600)).toBe(5 * MINUTE_MS);
  expect(fresh('delivered')).toBe(5 * MINUTE_MS);
  expect(fresh('partial', 3_600)).toBe(2 * MINUTE_MS);
  expect(fresh('partial')).toBe(2 * MINUTE_MS);
  expect(fresh('partial', 60, 3_600)).toBe(MINUTE_MS);
});

it('an answer about a number is fresh for two minutes if it was cut off, and otherwise for a day', () => {
  const fetchedAt = new Date('2026-03-02T09:00:00Z');
  const fresh = (outcome: LookupOutcome) =>
    KEPT_NUMBER.freshForMs({ outcome, sources: [], fetchedAt });
  expect(fresh('partial')).toBe(2 * MINUTE_MS);
  expect(fresh('delivered')).toBe(DAY_MS);
});
