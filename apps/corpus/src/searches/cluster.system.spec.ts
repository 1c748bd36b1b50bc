import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { withClient } from '#libs/database';
import { waitFor } from '#test/environment';
import { CitusCluster, CorpusUnderTest, citusMissing } from '#test/corpus';
import {
  DNS_HISTORICAL,
  DNS_REVERSE,
  type DatasetRow,
  type Operation,
  SUBDOMAINS,
  TYPOS,
  WHOIS_HISTORY,
  WHOIS_REVERSE,
} from '#libs/contracts';
import { HandOverJob } from '../removals/hand-over.job.js';
import { SignalsService } from '../signals/signals.service.js';
import { TrainModelJob } from '../signals/train-model.job.js';

const NAMES = 400;
const SEED = 11;
const RIGHTS = { isShown: true, isSold: true, isLookedUp: true };
const day = (number: number) => `2026-02-${String(number).padStart(2, '0')}T12:00:00.000Z`;
const ADA = {
  create_date: '2020-01-01',
  registrant_contact: { name: 'Ada Cluster', email_address: 'ada@cluster.example' },
};
const zone = (serial: number, labels: string[]) =>
  [
    `shop.\t900\tin\tsoa\tns1.nic.shop. host.shop. ${serial} 1800 900 604800 86400`,
    ...labels.map((label) => `${label}.shop.\t3600\tin\tns\tns1.example.net.`),
    '',
  ].join('\n');
const labels = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, place) => `spread-${from + place}`);

const QUESTIONS: readonly (readonly [Operation, Record<string, string>])[] = [
  [WHOIS_HISTORY, { domainName: 'ordered.com' }],
  [WHOIS_HISTORY, { domainName: 'ordered.com', view: 'changes' }],
  [DNS_HISTORICAL, { domainName: 'ordered.com', view: 'timeline' }],
  [DNS_HISTORICAL, { domainName: 'ordered.com' }],
  [DNS_REVERSE, { value: '198.18.0.0/24', type: 'A' }],
  [DNS_REVERSE, { value: '198.18.0.1', type: 'A', current: 'false' }],
  [DNS_REVERSE, { value: '198.18.0.1', type: 'MX' }],
  [DNS_REVERSE, { value: 'ns1.cluster.example', type: 'NS' }],
  [DNS_REVERSE, { value: 'v=spf1 include', type: 'TXT' }],
  [WHOIS_REVERSE, { owner: 'ada cluster', exact: 'true' }],
  [WHOIS_REVERSE, { keyword: 'cluster' }],
  [WHOIS_REVERSE, { keyword: 'son', scope: 'historic', mode: 'mini' }],
  [WHOIS_REVERSE, { company: '*ing*', scope: 'historic' }],
  [SUBDOMAINS, { domainName: 'ordered.com' }],
  [TYPOS, { domainName: 'ordered.com' }],
  [TYPOS, { keyword: 'spread' }],
  [TYPOS, { pattern: '*shop*' }],
];

/** Exercises every part of the corpus, on one server or a cluster. @returns the answers. */
async function wholeLife(corpus: CorpusUnderTest, folder: string) {
  await corpus.generate(NAMES, SEED);
  const whois = (name: string, at: number, record: object) => ({
    kind: 'whois',
    name,
    at: day(at),
    record,
  });
  const dns = (name: string, at: number, type: string, ...values: string[]) => ({
    kind: 'dns',
    name,
    at: day(at),
    types: [type],
    records: values.map((value) => ({ type, value })),
  });
  // Observations arrive out of order, so that confirmations become revisions and vice versa.
  await corpus.record(whois('ordered.com', 1, ADA), whois('ordered.com', 5, ADA));
  await corpus.record(whois('ordered.com', 3, {}));
  await corpus.record(whois('ordered.com', 2, {}), whois('ordered.com', 7, ADA));
  await corpus.record(
    dns('ordered.com', 1, 'A', '198.18.0.1'),
    dns('ordered.com', 5, 'A', '198.18.0.1', '198.18.0.2'),
    dns('ordered.com', 1, 'NS', 'ns1.cluster.example'),
    dns('ordered.com', 1, 'TXT', 'v=spf1 include:cluster.example -all'),
    dns('mail.ordered.com', 1, 'A', '198.18.0.1'),
    dns('*.wild.ordered.com', 1, 'A', '198.18.0.9'),
    dns('a.wild.ordered.com', 1, 'A', '198.18.0.9'),
    dns('follows.com', 1, 'MX', '10 mail.ordered.com'),
  );
  await corpus.record(dns('ordered.com', 3, 'A', '198.18.0.3'));
  await corpus.record(
    {
      kind: 'passive',
      name: 'ordered.com',
      at: day(1),
      until: day(9),
      type: 'A',
      value: '198.18.0.4',
    },
    { kind: 'listed', name: '0rdered.com', at: day(4) },
    { kind: 'listed', name: 'gone-one.com', at: day(4) },
    whois('suppressed.com', 1, ADA),
    whois('kept.com', 1, ADA),
  );
  await corpus.record({ kind: 'gone', name: 'gone-one.com', at: day(8) });
  const files = await imports(corpus, folder);
  await corpus.operate.suppress({ kind: 'domain', value: 'suppressed.com' });
  await corpus.operate.suppress({ kind: 'domain', value: 'spread-7.shop' });
  const searches = [];
  for (const [row, parameters] of QUESTIONS) searches.push(await pagesOf(corpus, row, parameters));
  await corpus.operate.suppress({ kind: 'email', value: 'ada@cluster.example' });
  await corpus.eraseSuppressed();
  await corpus.get(TrainModelJob).runOnce();
  const after = [];
  for (const [row, parameters] of QUESTIONS) after.push(await pagesOf(corpus, row, parameters));
  return {
    files,
    searches,
    after,
    signals: await corpus.get(SignalsService).of('phishing-one.com'),
    ...(await forWorker(corpus)),
    removed: await removal(corpus, folder),
  };
}

/** Returns up to twenty pages of a search, following the cursors. */
async function pagesOf(
  corpus: CorpusUnderTest,
  row: Operation,
  parameters: Record<string, string>,
) {
  type Answer = {
    paging: { next_cursor: string | null } & object;
    coverage: { sources: object[] };
  };
  const pages: object[] = [];
  for (let cursor: Record<string, string> = {}; ;) {
    const asked = { ...parameters, page_size: '7', ...cursor };
    const {
      paging,
      coverage: _coverage,
      ...rest
    } = await corpus.ask<Answer>(row.owner.path, asked);
    const { next_cursor, ...place } = paging;
    pages.push({ ...rest, paging: place });
    if (next_cursor === null || pages.length === 20) return [row.name, parameters, pages];
    cursor = { cursor: next_cursor };
  }
}

async function imports(corpus: CorpusUnderTest, folder: string) {
  const files: object[] = [];
  const source = async (
    name: string,
    kind: string,
    contents: Record<string, string>,
    further = {},
  ) => {
    const location = await mkdtemp(join(folder, `${name}-`));
    await corpus.sources.add({ name, kind, location, ...RIGHTS, ...further });
    for (const [file, content] of Object.entries(contents)) {
      await writeFile(join(location, file), content);
      const taken = (await corpus.runSource(name)).file!;
      const { state, badLines, newNames, changedNames, droppedNames, problem } = taken;
      files.push({ file, state, badLines, newNames, changedNames, droppedNames, problem });
    }
  };
  await source('zone', 'zone', {
    'shop-20260105.zone': zone(1, labels(0, 400)),
    'shop-20260106.zone': zone(2, labels(20, 430)),
  });
  await source('names', 'names', { 'names-20260107.txt': 'listed-one.com\nspread-1.shop\n' });
  await source('lines', 'jsonl', {
    'lines.jsonl': `${JSON.stringify({ kind: 'listed', name: 'line-one.com', at: day(2) })}\nbad\n`,
  });
  const category = { category: 'phishing' };
  await source(
    'block',
    'blocklist',
    {
      'block-20260105.txt': 'phishing-one.com\nlogin.phishing-two.com\n',
      'block-20260106.txt': 'phishing-one.com\n',
    },
    category,
  );
  return files;
}

/** Removes a source whose data another source partly knows. @returns the new owners of the names and values. */
async function removal(corpus: CorpusUnderTest, folder: string) {
  const registrant = { name: 'Ada Removed', email_address: 'ada@removed.example' };
  const listed = (name: string, at: number) => ({ kind: 'listed', name, at: day(at) });
  const held = (name: string, at: number) => ({
    ...listed(name, at),
    kind: 'whois',
    record: { registrant_contact: registrant },
  });
  for (const [name, ...lines] of [
    ['owner', held('both-hold.com', 5), held('owner-holds.com', 5), listed('both-list.com', 5)],
    ['other', held('both-hold.com', 4), listed('both-list.com', 4)],
  ] as const) {
    const location = await mkdtemp(join(folder, `${name}-`));
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    await writeFile(join(location, 'lines.jsonl'), text);
    await corpus.sources.add({ name, kind: 'jsonl', location, ...RIGHTS });
    expect((await corpus.runSource(name)).file).toMatchObject({ state: 'loaded', badLines: 0 });
  }
  await corpus.sources.remove('owner');
  await corpus.get(HandOverJob).runOnce();
  const ownersIn = async (table: string) =>
    corpus.database.query(
      `select t.name, s.name as source from ${table} t join source s on s.id = t.source_id
       where t.name in ('both-hold.com', 'owner-holds.com', 'both-list.com') order by t.name, s.name`,
    );
  return { names: await ownersIn('domain'), values: await ownersIn('contact_token') };
}

/**
 * Returns what the worker would read. The changes are sorted, because the feed returns them in the order of their
 * transactions, which may differ between two corpora.
 */
async function forWorker(corpus: CorpusUnderTest) {
  const changes: string[] = [];
  let {
    cursor,
    hasMore,
    changes: page,
  } = await corpus.feed.changes({ since: '2020-01-01T00:00:00Z', limit: 500 });
  for (;;) {
    for (const { name, kind, subject, members } of page) {
      changes.push(`${name} ${kind} ${subject} ${members.join()}`);
    }
    if (!hasMore) break;
    ({ cursor, hasMore, changes: page } = await corpus.feed.changes({ cursor, limit: 500 }));
  }
  const { signal } = new AbortController();
  const rows: (DatasetRow | object)[] = [];
  // The hashes are left out, because each corpus has its own key for them.
  const keep = ({ hashes: _hashes, ...row }: DatasetRow) => rows.push(row);
  for (const dataset of ['names', 'whois', 'whois_cleaned', 'dns'] as const) {
    for await (const row of corpus.feed.rows({ dataset }, { signal })) keep(row);
  }
  const dated = { dataset: 'updated_whois', day: new Date().toISOString().slice(0, 10) } as const;
  for await (const row of corpus.feed.rows(dated, { signal })) keep(row);
  const fresh = [];
  const maxAgeSeconds = 31_622_400;
  const names = ['ordered.com', 'kept.com', 'nobody.com'];
  const kinds = [{ kind: 'whois' }, { kind: 'dns', types: ['A'] }] as const;
  for (const kind of kinds) {
    const asked = { ...kind, names, maxAgeSeconds };
    for await (const one of corpus.feed.freshest(asked, { signal })) fresh.push(one);
  }
  const due = { olderThanSeconds: 60, limit: 200 };
  const next = await corpus.feed.nextNames({ kind: 'whois', ...due });
  const hosts = await corpus.feed.nextNames({ kind: 'host', ...due });
  return { changes: changes.toSorted(), rows, fresh, next, hosts };
}

/** Creating the three servers takes minutes. */
jest.setTimeout(1_200_000);

const missing = citusMissing();

describe('on a cluster', () => {
  if (missing) {
    it.skip(`the tests on Citus were not run: ${missing}`, () => {});
    return;
  }
  let folder: string;
  let cluster: CitusCluster;
  let spread: CorpusUnderTest;

  const open = (name: string, on?: CitusCluster) => {
    const suppressionsPath = join(folder, `suppressions-${name}`);
    return CorpusUnderTest.start({ work: 'serve', suppressionsPath }, on);
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cluster-'));
    cluster = await CitusCluster.start();
    spread = await open('spread', cluster);
  });
  afterAll(async () => {
    await spread?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('searches, writes, suppression, feed, imports and removals work as on one server', async () => {
    const corpus = await open('alone');
    const alone = await wholeLife(corpus, folder).finally(() => corpus.stop());
    expect(alone.searches.every(([, , pages]) => (pages as object[]).length > 0)).toBe(true);
    const kept = ['both-hold.com', 'both-list.com'].map((name) => ({ name, source: 'other' }));
    expect(alone.removed.names).toMatchObject([...kept, { name: 'owner-holds.com' }]);
    expect(alone.removed.names).not.toContainEqual({ name: 'owner-holds.com', source: 'other' });
    expect(await wholeLife(spread, folder)).toEqual(alone);
  });

  it('an import neither loses nor duplicates anything if a node is killed meanwhile', async () => {
    const names = 2_000;
    const counts = async () => {
      const [row] = await spread.database.query<Record<string, number>>(
        `select (select count(*)::int from domain) as names, (select sum(names)::int from tld_names) as counted,
           (select count(*)::int from staged_name) as staged, (select count(*)::int from change_event) as changes,
           (select sum(observations)::int from source_total) as observations`,
      );
      return row;
    };
    const before = await counts();
    const location = join(folder, 'killed');
    await mkdir(location);
    const lines = Array.from({ length: names }, (_, place) => `killed-${place}.com\n`);
    await writeFile(join(location, 'names-20260105.txt'), lines.join(''));
    const rights = { isShown: true, isSold: false, isLookedUp: false };
    await spread.sources.add({ name: 'killed', kind: 'names', location, ...rights });
    const running = spread.runSource('killed');
    await withClient(cluster.url(), async (client) => {
      await waitFor('a part that is being applied', async () => {
        const { files } = await spread.sources.show('killed');
        return files[0]?.slices > 0;
      });
      // The import of the next part waits for this lock; then it finds the node dead.
      await client.query('begin');
      await client.query('select from corpus.import_file for update');
      await cluster.killWorker(1);
      await client.query('commit');
    });
    // The source stays due, as when the database is unavailable.
    expect(await running).toMatchObject({ problem: null, file: { state: 'loading' } });
    await cluster.startWorker(1);
    const { file } = await spread.runSource('killed');
    expect(file).toMatchObject({ state: 'loaded', newNames: names });
    const after = await counts();
    const all = { names, counted: names, staged: 0, changes: names, observations: names };
    const added = Object.entries(after).map(([what, count]) => [what, count - before[what]]);
    expect(Object.fromEntries(added)).toEqual(all);
  });
});
