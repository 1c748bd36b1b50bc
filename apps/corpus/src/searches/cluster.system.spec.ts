import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { withClient } from '#libs/database';
import { waitFor } from '#test/environment';
import { CitusCluster, CorpusUnderTest, citusMissing, wholeLife } from '#test/corpus';

/** Three servers are made first. */
jest.setTimeout(1_200_000);

const missing = citusMissing();

describe('on a cluster', () => {
  if (missing) {
    it.skip(`nothing was run on Citus: ${missing}`, () => {});
    return;
  }
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cluster-'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it('searches, writes, suppression, feed and imports work as on one server', async () => {
    const told = [];
    for (const on of [undefined, await CitusCluster.start()]) {
      const suppressionsPath = join(folder, `suppressions-${told.length}`);
      const corpus = await CorpusUnderTest.start({ work: 'serve', suppressionsPath }, on);
      try {
        told.push(await wholeLife(corpus, folder));
      } finally {
        await corpus.stop();
      }
    }
    const [alone, spread] = told;
    expect(alone.searches.every(([, , pages]) => (pages as object[]).length > 0)).toBe(true);
    expect(spread).toEqual(alone);
  });

  it('an import during which a node is killed loses and duplicates nothing', async () => {
    const names = 2_000;
    const cluster = await CitusCluster.start();
    const corpus = await CorpusUnderTest.start({ work: 'serve' }, cluster);
    try {
      const location = join(folder, 'killed');
      await mkdir(location);
      const lines = Array.from({ length: names }, (_, place) => `killed-${place}.com\n`);
      await writeFile(join(location, 'names-20260105.txt'), lines.join(''));
      const rights = { isShown: true, isSold: false, isLookedUp: false };
      await corpus.sources.add({ name: 'killed', kind: 'names', location, ...rights });
      const running = corpus.runSource('killed');
      await withClient(cluster.url(), async (client) => {
        await waitFor('a part that is taken in', async () => {
          const { files } = await corpus.sources.show('killed');
          return files[0]?.slices > 0;
        });
        // The next part waits here, and finds the node dead.
        await client.query('begin');
        await client.query('select from corpus.import_file for update');
        await cluster.killWorker(1);
        await client.query('commit');
      });
      // Like an unavailable database: the source stays due.
      expect(await running).toMatchObject({ problem: null, file: { state: 'loading' } });
      await cluster.startWorker(1);
      const { file } = await corpus.runSource('killed');
      expect(file).toMatchObject({ state: 'loaded', newNames: names });
      const counts = await corpus.database.query(
        `select (select count(*)::int from domain) as names, (select sum(names)::int from tld_names) as counted,
           (select count(*)::int from staged_name) as staged, (select count(*)::int from change_event) as changes,
           (select sum(observations)::int from source_total) as observations`,
      );
      const all = { names, counted: names, staged: 0, changes: names, observations: names };
      expect(counts).toEqual([all]);
    } finally {
      await corpus.stop();
    }
  });
});
