import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DNS_REVERSE, type DnsReverseAnswer } from '#libs/contracts';
import { newId, runInContext } from '#libs/platform';
import { CorpusUnderTest } from '#test/corpus';
import { TestDatabase, waitFor } from '#test/environment';
import { TcpProxy } from '../../../../test/faults/tcp-proxy.js';
import { CoverageService } from '../coverage/coverage.service.js';
import { SearchDatabase } from './search-database.js';

const CONNECTIONS = 2;
/** Imports are off, because they would wait for the locked table. */
const SETTINGS = { searchTimeoutMs: 1_000, searches: CONNECTIONS, work: 'serve' } as const;
const AT = '2026-03-01T12:00:00.000Z';
const ASKED = { value: '198.19.253.1', type: 'A' };

describe('searches that exceed their time limit', () => {
  let corpus: CorpusUnderTest;

  beforeAll(async () => {
    corpus = await CorpusUnderTest.start(SETTINGS);
    const records = [{ type: 'A', value: ASKED.value }];
    await corpus.record({ kind: 'dns', name: 'heavy-one.com', at: AT, types: ['A'], records });
  });
  afterAll(() => corpus.stop());

  const search = async () => corpus.ask<DnsReverseAnswer>(DNS_REVERSE.owner.path, ASKED);
  const codeOf = (error: { code: string; status: number }) => [error.status, error.code].join(' ');

  it('S102: searches that exceed their time limit are refused with 503 and cancelled in the database, while answers are still recorded', async () => {
    const codes = await corpus.database.transaction(async (transaction) => {
      await transaction.query('lock table dns_span in access exclusive mode');
      const refused = Array.from({ length: 3 * CONNECTIONS }, async () =>
        search().then(() => 'answered', codeOf),
      );
      const record = { create_date: '2020-01-01', registrant_contact: { name: 'Ada Written' } };
      await corpus.record({ kind: 'whois', name: 'written-one.com', at: AT, record });
      const all = await Promise.all(refused);
      // The table is still locked, but no search is waiting any longer.
      const [{ count }] = await transaction.query<{ count: string }>(
        `select count(*) from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      );
      expect(Number(count)).toBe(0);
      return all;
    });
    expect(codes).toContain('503 search_too_heavy');
    expect(codes.filter((code) => !code.startsWith('503 '))).toEqual([]);
    await waitFor('a search in time', async () => search().catch(() => undefined));
    const written = await corpus.database.query('select from whois_revision');
    expect(written).toHaveLength(1);
  });
});

describe('searches without their database', () => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let corpus: CorpusUnderTest;

  beforeAll(async () => {
    database = await TestDatabase.create();
    proxy = await TcpProxy.before(database.url('corpus'));
    corpus = await CorpusUnderTest.start(
      { ...SETTINGS, searchTimeoutMs: 5_000 },
      {
        url: (role) => proxy.through(database.url(role)),
        service: async (name) => database.service(name),
        drop: async () => database.drop(),
      },
    );
  });
  afterAll(async () => {
    await proxy.heal();
    await corpus.stop();
    await proxy.stop();
  });

  it.each([
    ['refuses connections', async () => proxy.refuse()],
    ['is silent', async () => proxy.stall()],
  ])('get 503 while the database %s, and are answered normally afterwards', async (_what, fail) => {
    const search = async () => corpus.ask<DnsReverseAnswer>(DNS_REVERSE.owner.path, ASKED);
    const answerAfterRetries = () =>
      waitFor('an answer', async () => search().catch(() => undefined));
    expect(await search()).toMatchObject({ domains: [] });
    await fail();
    const asked = Array.from({ length: 2 * CONNECTIONS }, async () =>
      search().then(
        () => 'answered',
        ({ status }: { status: number }) => status,
      ),
    );
    expect(new Set(await Promise.all(asked))).toEqual(new Set([503]));
    await proxy.heal();
    expect(await answerAfterRetries()).toMatchObject({ domains: [] });
  });
});

describe('searches of many accounts', () => {
  let corpus: CorpusUnderTest;

  beforeAll(async () => {
    corpus = await CorpusUnderTest.start({ searchTimeoutMs: 20_000, searches: 3, work: 'serve' });
  });
  afterAll(() => corpus.stop());

  const queryOf = async (accountId: string, sql: string) =>
    runInContext({ accountId }, async () => corpus.get(SearchDatabase).query(sql));

  it('S102: an account with many heavy searches leaves connections to the searches of others', async () => {
    const [heavy, other] = [newId(), newId()];
    const lock = 'select pg_advisory_xact_lock(1)';
    let searches: Promise<unknown>[] = [];
    await corpus.database.transaction(async (transaction) => {
      await transaction.query(lock);
      searches = Array.from({ length: 50 }, async () => queryOf(heavy, lock));
      expect(await queryOf(other, 'select 1 as found')).toEqual([{ found: 1 }]);
      // Searches of all accounts wait for the list of sources, whoever asks for it first.
      const shown = runInContext({ accountId: heavy }, () => corpus.get(CoverageService).shown());
      expect(await shown).toMatchObject({ ids: expect.any(Array) });
    });
    await Promise.all(searches);
  });
});
