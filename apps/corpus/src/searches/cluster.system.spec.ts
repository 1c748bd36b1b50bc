import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
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

  it('searches, writing, suppression, feed and imports are what they are on one server', async () => {
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
});
