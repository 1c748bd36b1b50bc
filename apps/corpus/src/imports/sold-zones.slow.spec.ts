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

async function addZone(origin: string, isHidden = false): Promise<void> {
  const location = join(folder, origin);
  await mkdir(location);
  const rights = { isShown: !isHidden, isSold: !isHidden, isLookedUp: true };
  await corpus.sources.add({ name: origin, kind: 'zone', location, ...rights });
}

/** Adds a file of which only a part was imported before it was removed. */
async function addPart(zone: string, state: 'loading' | 'failed', daysAgo: number): Promise<void> {
  await corpus.database.query(
    `insert into import_file (id, source_id, file, version, zone, observed_at, state, slices, started_at)
     select gen_random_uuid(), id, 'removed', '1', name, $3, $2, 20, $3 from source where name = $1`,
    [zone, state, ago(daysAgo).slice(0, 10)],
  );
}

/** Imports a file of a zone. @returns its row and path. */
async function imported(origin: string, daysAgo: number, labels: string[]) {
  const path = join(folder, origin, `${origin}-${ago(daysAgo).slice(0, 10)}.zone`);
  const serial = 10 - daysAgo;
  const zone = [
    `${origin}. 900 in soa ns1.nic.${origin}. host.${origin}. ${serial} 1800 900 604800 86400`,
    ...labels.map((label) => `${label}.${origin}. 3600 in ns ns1.example.net.`),
  ];
  await writeFile(path, `${zone.join('\n')}\n`);
  return { file: (await corpus.runSource(origin)).file, path };
}

it.each([
  ['space', 'is compared with the previous one', true],
  ['site', 'is imported as a whole', false],
])(
  'the next file of the zone %s, which %s, yields new and dropped names that our own lookups saw first',
  async (origin, _, isKept) => {
    await addZone(origin);
    const put = async (daysAgo: number, labels: string[]) => {
      const { file, path } = await imported(origin, daysAgo, labels);
      expect(file?.state).toBe('loaded');
      if (!isKept) await rm(path);
    };
    await put(3, ['kept', 'dropped', 'unnoticed', 'again']);
    const name = (label: string) => `${label}.${origin}`;
    const record = { create_date: ago(4).slice(0, 10) };
    await corpus.record(
      { kind: 'gone', name: name('dropped'), at: ago(2.5) },
      { kind: 'gone', name: name('again'), at: ago(2.5) },
      { kind: 'whois', name: name('early'), at: ago(2.5), record },
    );
    const own = async (dataset: Dataset) =>
      (await namesIn(dataset)).filter((one) => one.endsWith(`.${origin}`)).toSorted();
    expect([await own('newly'), await own('dropped')]).toEqual([[], []]);
    await put(1, ['kept', 'early', 'late']);
    const newRecord = { create_date: ago(1).slice(0, 10) };
    await corpus.record({ kind: 'whois', name: name('again'), at: ago(0.9), record: newRecord });
    expect(await own('newly')).toEqual([name('early'), name('late')]);
    await put(0, ['kept', 'early', 'late', 'again']);
    expect(await own('newly')).toEqual(['again', 'early', 'late'].map(name));
    expect(await own('dropped')).toEqual([name('dropped'), name('unnoticed')]);
    const repeated = await corpus.database.query<{ name: string }>(
      'select name from change_event where is_repeated and name like $1 order by name',
      [name('%')],
    );
    expect(repeated.map((row) => row.name)).toEqual(
      ['again', 'again', 'dropped', 'early'].map(name),
    );
  },
);

it('a zone is imported as a whole if only part of the previous file was imported', async () => {
  await addZone('store');
  await imported('store', 4, ['kept', 'other']);
  expect((await imported('store', 3, ['kept'])).file).toMatchObject({ isDifference: true });
  await addPart('store', 'loading', 2);
  const state = 'loaded';
  expect((await imported('store', 1, ['kept'])).file).toMatchObject({ state, isDifference: false });
  expect((await imported('store', 0, ['kept'])).file).toMatchObject({ state, isDifference: true });
});

it('a zone is imported as a whole if no complete earlier file is left for comparison', async () => {
  await addZone('blog');
  await imported('blog', 4, ['kept', 'other']);
  expect((await imported('blog', 2, ['kept'])).file).toMatchObject({ isDifference: true });
  await addPart('blog', 'failed', 3);
  const { file } = await imported('blog', 0, ['kept']);
  expect(file).toMatchObject({ state: 'loaded', isDifference: false });
});

it('of the names of a zone that may not be shown, only added names count as new when our own lookup sees them', async () => {
  await addZone('shop', true);
  await imported('shop', 2, ['old']);
  await imported('shop', 1, ['old', 'added']);
  const record = { create_date: '2020-01-01' };
  const names = ['old.shop', 'added.shop'];
  await corpus.record(...names.map((name) => ({ kind: 'whois', name, at: ago(0.1), record })));
  const told = await corpus.database.query(
    `select name from change_event where is_shown_first and name like '%.shop'`,
  );
  expect(told).toEqual([{ name: 'added.shop' }]);
});
