import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ownerRole, withClient } from '#libs/database';
import { CorpusUnderTest } from '#test/corpus';
import { rowsRead } from '#test/environment';
import { CorpusConfig } from '../corpus.config.js';
import { ALL_KEYS } from '../names/domain-key.js';
import type { FeedDatabase } from '../searches/search-database.js';
import { FeedRepository } from './feed.repository.js';

const HOSTS = 20_000;
const LIMIT = 10;
const TABLES = ['corpus.domain', 'corpus.host', 'corpus.host_sighting'];

let corpus: CorpusUnderTest;

beforeAll(async () => {
  corpus = await CorpusUnderTest.start();
});
afterAll(() => corpus.stop());

it('the records of one name add at most 50 hosts, because its owner chooses below whose names they are', async () => {
  const at = '2024-03-01T12:00:00.000Z';
  await corpus.record({ kind: 'listed', name: 'servers.com', at });
  const records = Array.from({ length: 60 }, (_, place) => ({
    type: 'MX',
    value: `10 mx-${place}.servers.com`,
  }));
  await corpus.record({ kind: 'dns', name: 'many-servers.com', at, types: ['MX'], records });
  const { names } = await corpus.feed.nextNames({ kind: 'host', olderThanSeconds: 60 });
  expect(names).toHaveLength(50);
});

it('a page of hosts to look up reads indexes, not all hosts', async () => {
  await withClient(corpus.test.url(ownerRole('corpus')), async (owner) => {
    for (const [table, columns] of [
      ['domain', `'name-' || n || '.com', 'name-' || n, null, null, 1, null, now()`],
      ['host', `'name-' || n || '.com', 'www', 2, now()`],
      ['host_sighting', `'name-' || n || '.com', 'www', now(), null, 2 + n % 2`],
    ]) {
      await owner.query(
        `insert into ${table} select n, ${columns} from generate_series(1, ${HOSTS}) n`,
      );
      await owner.query(`analyze ${table}`);
    }
  });
  await corpus.database.transaction(async (transaction) => {
    const feed = new FeedRepository(transaction as unknown as FeedDatabase, new CorpusConfig());
    const read = await rowsRead(transaction, TABLES, async () => {
      const page = await feed.listNext({
        ...ALL_KEYS,
        kind: 'host',
        before: corpus.clock.now(),
        after: { key: '0', name: '' },
        sourceIds: [3],
        limit: LIMIT,
      });
      expect(page.map(({ isDue }) => isDue)).toEqual(
        Array.from({ length: LIMIT }, (_, place) => place % 2 === 0),
      );
    });
    expect(read).toBeLessThan(10 * LIMIT);
  });
});
