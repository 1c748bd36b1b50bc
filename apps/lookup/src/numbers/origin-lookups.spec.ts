import { expect, it } from '@jest/globals';
import { parseAddressBlock } from '#libs/domain-names';
import { SECOND_MS, loadConfig } from '#libs/platform';
import type { LookupOutcome, NumberLookup, NumberLookups, NumberRequest } from '#libs/resolvers';
import { TestClock } from '#test/environment';
import { AnswerCounts } from '../answers/answer-counts.js';
import { LookupConfig } from '../lookup.config.js';
import { DelegatedNumbers } from './delegated-numbers.js';
import { NumbersService } from './numbers.service.js';
import type { RoutingFeed } from './routing-feed.js';

const CLOCK = new TestClock('2026-11-22T10:00:00Z');
const FRESHNESS = { max_age: 0, allow_stale: false, fresh: false, version: 2 as const };
const HOW = { repeat: false, signal: new AbortController().signal };
const NOBODY = { descriptions: [], statuses: [], contacts: [], abuseContacts: [] };

function found(outcome: LookupOutcome, start = '8.8.8.0', members = {}): NumberLookup {
  const block = { start, end: start, originAsns: [64_500], ...NOBODY, ...members };
  return { outcome, block, sources: [], fetchedAt: CLOCK.now() };
}

async function serviceWith(
  lookups: Pick<NumberLookups, 'lookUpBlock' | 'lookUpAsn'>,
): Promise<NumbersService> {
  const feed = { hasRoutes: true, isLoaded: false, prefixOf: () => undefined };
  const config = loadConfig(LookupConfig, {
    SERVICE_SECRET: 'a-service-secret-of-at-least-32-characters',
  });
  const service = new NumbersService(
    lookups as NumberLookups,
    feed as unknown as RoutingFeed,
    await DelegatedNumbers.load([]),
    new AnswerCounts(),
    CLOCK,
    config,
  );
  Object.assign(service, { wayOut: { isCutOff: false } });
  return service;
}

function questionAbout(address: string) {
  const parsed = parseAddressBlock(address);
  if (!parsed.ok) throw new Error('not an address');
  return { ...FRESHNESS, ip: parsed.cidr, include: [] };
}

it('the origin of an address that is not found in a short time is looked up again when it is requested itself', async () => {
  const budgets: unknown[] = [];
  const service = await serviceWith({
    lookUpBlock: async () => found('delivered'),
    lookUpAsn: async (_asn: number, { budgetMs = 0 }: NumberRequest = {}) => {
      budgets.push(budgetMs);
      return budgetMs > 3 * SECOND_MS ? found('delivered', '64500') : found('timeout');
    },
  });
  for (let i = 0; i < 2; i++) {
    const { outcome } = await service.ip(questionAbout('8.8.8.8'), HOW);
    expect(outcome).toBe('delivered');
  }
  expect(budgets).toEqual([3 * SECOND_MS]);
  const { outcome } = await service.asn({ ...FRESHNESS, asn: 64_500, include: [] }, HOW);
  expect([outcome, budgets.length]).toEqual(['delivered', 2]);
});

it('a reserved AS number that announces an address is not named as the provider', async () => {
  const special = { purpose: 'Private use', document: 'RFC 6996' };
  const service = await serviceWith({
    lookUpBlock: async () => found('delivered', '8.8.8.0', { name: 'EXAMPLE-NET' }),
    lookUpAsn: async () => ({ ...found('unsupported', '64512', { name: 'Private use' }), special }),
  });
  const answer = await service.ip(questionAbout('8.8.8.8'), HOW);
  expect(answer).toMatchObject({
    body: { isp: { name: 'EXAMPLE-NET', found_in: 'block_registration' } },
  });
});
