import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { CorpusChange, NameFindings } from '#libs/contracts';
import { DAY_MS, HOUR_MS, SECOND_MS, newId } from '#libs/platform';
import { CorpusStandIn } from '../../../../test/worker/corpus-stand-in.js';
import { QuestionsStandIn } from '../../../../test/worker/questions-stand-in.js';
import { WorkerUnderTest } from '../../../../test/worker/worker-under-test.js';
import { CollectNamesJob } from './collect-names.job.js';
import { FORGOTTEN_MAX } from './collected-names.repository.js';

const under = new WorkerUnderTest();
const corpus = new CorpusStandIn();
const lookup = new QuestionsStandIn();
const RIGHTS = { isShown: true, isSold: true, isGenerated: false };
const LATER: Partial<NameFindings> = {
  outcome: 'throttled',
  laterSeconds: 10,
  problem: { code: 'upstream_throttled', detail: 'Later.' },
};

beforeAll(async () => {
  corpus.sources.push(
    { id: 2, name: 'zone', isLookedUp: true, ...RIGHTS },
    { id: 3, name: 'bought', isLookedUp: false, ...RIGHTS },
  );
  await corpus.start();
  await lookup.start();
  await under.start(lookup.url, { corpusUrl: corpus.url });
  await under.holdJob('collect-names');
  // The stand-in returns each change to one reader only.
  await under.holdJob('follow-corpus-changes');
});
afterAll(async () => {
  await under.stop();
  await lookup.stop();
  await corpus.stop();
});

/** Runs the collector once. @returns how often it has looked up each name. */
async function collect(): Promise<Record<string, number>> {
  lookup.calls.length = 0;
  await under.worker.app.get(CollectNamesJob, { strict: false }).runOnce();
  const names = lookup.calls.flatMap((call) => call.names);
  return Object.fromEntries(
    [...Map.groupBy(names, (name) => name)].map(([name, asked]) => [name, asked.length]),
  );
}

const change = (name: string, sourceId: number, kind: CorpusChange['kind'] = 'new') =>
  corpus.changes.push({
    id: newId(),
    key: '1',
    name,
    unicode: name,
    kind,
    subject: 'name',
    members: [],
    isFirst: false,
    sourceId,
    observedAt: under.clock.now().toISOString(),
  });

it('new names are looked up once, if their sources permit it', async () => {
  change('new-1.com', 2);
  change('bought.com', 3);
  change('gone.com', 2, 'dropped');
  // Each name is looked up once for its DNS records and once for its registration.
  expect(await collect()).toEqual({ 'new-1.com': 2 });
  expect(await collect()).toEqual({});
});

it('names that were last looked up long ago are looked up again', async () => {
  corpus.nextNames.dns.push('old-1.com', 'old-2.com');
  const asked = await collect();
  expect(Object.keys(asked).toSorted()).toEqual(['old-1.com', 'old-2.com']);
});

it('names whose registry is not ready become due one after another', async () => {
  lookup.found = () => LATER;
  change('a.com', 2);
  change('b.com', 2);
  expect(Object.keys(await collect())).toHaveLength(2);
  expect(await collect()).toEqual({});
  under.clock.advance(10 * SECOND_MS);
  expect(Object.keys(await collect())).toEqual(['a.com']);
  lookup.found = () => ({});
  under.clock.advance(20 * SECOND_MS);
  expect(Object.keys(await collect()).toSorted()).toEqual(['a.com', 'b.com']);
  expect(await collect()).toEqual({});
});

it('a name is abandoned after three attempts without an answer', async () => {
  lookup.found = () => ({ outcome: 'unreachable' });
  change('silent.com', 2);
  let tries = 0;
  for (let hour = 0; hour < 6; hour += 1) {
    tries += (await collect())['silent.com'] ?? 0;
    under.clock.advance(HOUR_MS);
  }
  expect(tries).toBe(2 * 3);
});

it('a name about which nothing can be stored is looked up again only when it is due', async () => {
  lookup.found = () => ({ outcome: 'restricted' });
  change('reserved.com', 2);
  expect(await collect()).toEqual({ 'reserved.com': 2 });
  // The corpus names it again at once, because it has stored nothing.
  corpus.nextNames.dns.push('reserved.com');
  expect(await collect()).toEqual({});
  change('reserved.com', 2);
  expect(await collect()).toEqual({ 'reserved.com': 2 });
  under.clock.advance(30 * DAY_MS);
  corpus.nextNames.dns.push('reserved.com');
  expect(await collect()).toEqual({ 'reserved.com': 1 });
});

it('abandoned names are deleted in batches', async () => {
  await under.database.query(
    `insert into collected_names (kind, name, rank, due_at)
     select 'dns', 'given-up-' || n || '.com', 3, $1 from generate_series(1, $2::integer) as n`,
    [under.clock.now(), FORGOTTEN_MAX + 1],
  );
  const left = async () => {
    await collect();
    const [{ count }] = await under.database.query<{ count: number }>(
      `select count(*)::int as count from collected_names where name like 'given-up-%'`,
    );
    return count;
  };
  expect([await left(), await left()]).toEqual([1, 0]);
});
