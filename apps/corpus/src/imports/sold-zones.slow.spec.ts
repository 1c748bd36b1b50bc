import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Dataset } from '#libs/contracts';
import { DAY_MS } from '#libs/platform';
import { CorpusUnderTest } from '#test/corpus';
import { awayFromMidnight } from '#test/environment';

await awayFromMidnight();

let corpus: CorpusUnderTest;
let folder: string;
const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();

beforeAll(async () => {
  // This spec starts the import runs itself.
  corpus = await CorpusUnderTest.start({ work: 'serve' });
  corpus.clock.set(new Date());
  folder = await mkdtemp(join(tmpdir(), 'sold-zones-'));
});
afterAll(async () => {
  await corpus.stop();
  await rm(folder, { recursive: true, force: true });
});

async function namesIn(dataset: Dataset): Promise<string[]> {
  const { signal } = new AbortController();
  const names: string[] = [];
  const day = new Date().toISOString().slice(0, 10);
  for await (const { name } of corpus.feed.rows({ dataset, day }, { signal })) names.push(name);
  return names;
}

it.each([
  ['space', 'is compared with the previous one', true],
  ['site', 'is imported as a whole', false],
])(
  'the next file of the zone %s, which %s, yields new and dropped names that our own lookups saw first',
  async (origin, _, isKept) => {
    const zone = (serial: number, labels: string[]) =>
      [
        `${origin}. 900 in soa ns1.nic.${origin}. host.${origin}. ${serial} 1800 900 604800 86400`,
        ...labels.map((label) => `${label}.${origin}. 3600 in ns ns1.example.net.`),
        '',
      ].join('\n');
    const location = join(folder, origin);
    await mkdir(location);
    const rights = { isShown: true, isSold: true, isLookedUp: true };
    await corpus.sources.add({ name: origin, kind: 'zone', location, ...rights });
    const put = async (daysAgo: number, labels: string[]) => {
      const path = join(location, `${origin}-${ago(daysAgo).slice(0, 10)}.zone`);
      await writeFile(path, zone(10 - daysAgo, labels));
      expect((await corpus.runSource(origin)).file?.state).toBe('loaded');
      if (!isKept) await rm(path);
    };
    await put(3, ['kept', 'dropped', 'unnoticed']);
    const name = (label: string) => `${label}.${origin}`;
    const record = { create_date: ago(4).slice(0, 10) };
    await corpus.record(
      { kind: 'gone', name: name('dropped'), at: ago(2.5) },
      { kind: 'whois', name: name('early'), at: ago(2.5), record },
    );
    const own = async (dataset: Dataset) =>
      (await namesIn(dataset)).filter((one) => one.endsWith(`.${origin}`)).toSorted();
    expect([await own('newly'), await own('dropped')]).toEqual([[], []]);
    await put(1, ['kept', 'early', 'late']);
    await put(0, ['kept', 'early', 'late']);
    expect(await own('newly')).toEqual([name('early'), name('late')]);
    expect(await own('dropped')).toEqual([name('dropped'), name('unnoticed')]);
    const repeated = await corpus.database.query<{ name: string }>(
      'select name from change_event where is_repeated and name like $1 order by name',
      [name('%')],
    );
    expect(repeated.map((row) => row.name)).toEqual([name('dropped'), name('early')]);
  },
);
