import { mkdir, writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import {
  DNS_REVERSE,
  type Operation,
  SUBDOMAINS,
  TYPOS,
  WHOIS_HISTORY,
  WHOIS_REVERSE,
} from '#libs/contracts';
import { generatedName } from '../../apps/corpus/src/generator/generated-labels.js';
import { withClient } from '#libs/database';
import { TestDatabase, growthOf } from '#test/environment';
import { CorpusUnderTest } from '../corpus/corpus-under-test.js';
import { Random } from '../random.js';
import {
  type BenchOptions,
  type BenchReport,
  type BenchRow,
  atLeast,
  atMost,
  inLanes,
  newFolder,
  openPostgres,
  percentile,
} from './bench.js';
import { cleanup } from './cleanup.js';

const SEED = 17;
const CLIENTS = 8;
/** How many names the zone has, how many have full histories, and how many first pages of each search are measured. */
const SIZE = { zone: 1_000_000, generated: 20_000, pages: 400 };
const SHORT = { zone: 50_000, generated: 1_000, pages: 160 };
/** The cache of the database server: a quarter of the memory of a machine with 8 GB, as PostgreSQL's manual advises. */
const SETTINGS = { shared_buffers: '2GB' };
const NEEDLES = 1_000;
/** The share of a zone's names that is added in a day, and the share that is removed. */
const CHANGED = 0.01;

type Parameters = Record<string, string>;
type Search = readonly [what: string, row: Operation, targetMs: number, ask: () => Parameters];

/** Measures how fast the corpus imports sources and answers searches (`npm run bench corpus`). */
export async function measure({ isShort, names }: BenchOptions): Promise<BenchReport> {
  const size = { ...(isShort ? SHORT : SIZE), ...(names && { zone: names }) };
  await openPostgres(true, SETTINGS);
  const folder = newFolder('corpus');
  const database = await TestDatabase.create();
  const corpus = await CorpusUnderTest.start({ work: 'serve' }, database);
  cleanup.add(async () => corpus.stop());
  const rows: BenchRow[] = [];
  const add = (...measured: BenchRow[]) => {
    for (const { what, value, unit } of measured) {
      process.stderr.write(`  ${what}: ${Number(value.toPrecision(4))} ${unit}\n`);
    }
    rows.push(...measured);
  };
  add(...(await zones(corpus, folder, size.zone)));
  await corpus.generate(size.generated, SEED);
  add(await sizeOf(corpus));
  // Autovacuum would do this within minutes.
  await withClient(database.url(), async (client) => client.query('vacuum (analyze)'));
  const needles = await needlesOf(corpus);
  for (const search of searchesOf(size, needles)) add(await firstPages(corpus, search, size.pages));
  return {
    title: `corpus: ${size.zone} names, ${size.generated} more with histories; load ${loadavg()[2].toFixed(0)}`,
    rows,
  };
}

async function zones(corpus: CorpusUnderTest, folder: string, names: number): Promise<BenchRow[]> {
  const location = join(folder, 'zone');
  const rights = { isShown: true, isSold: false, isLookedUp: false };
  await mkdir(location);
  await corpus.sources.add({ name: 'zone', kind: 'zone', location, ...rights });
  const changed = Math.floor(names * CHANGED);
  const take = async (file: string, from: number, to: number) => {
    await writeFile(join(location, file), zoneLines(from, to));
    const startedAt = performance.now();
    const addedBytes = await growthOf(async () => {
      const { file: taken } = await corpus.runSource('zone');
      if (taken?.state !== 'loaded') throw new Error(`the zone was not loaded: ${taken?.problem}`);
    });
    const seconds = (performance.now() - startedAt) / 1000;
    return { perSecond: (to - from) / seconds, addedMb: addedBytes / 2 ** 20 };
  };
  const first = await take('bench-20260101.zone', 0, names);
  const next = await take('bench-20260102.zone', changed, names + changed);
  return [
    atLeast('first load of a zone, searchable', first.perSecond, 50_000, 'names/s'),
    atLeast(
      "the next day's zone, with 1 % of the names changed",
      next.perSecond,
      200_000,
      'lines/s',
    ),
    atMost('memory that the first load adds to this process', first.addedMb, 200, 'MB'),
  ];
}

function* zoneLines(from: number, to: number) {
  yield `bench.\t900\tin\tsoa\tns1.nic.bench. host.bench. ${to} 1800 900 604800 86400\n`;
  for (let at = from; at < to; at += 1) {
    yield `${labelOf(at)}-${at}.bench.\t3600\tin\tns\tns1.example.net.\n`;
  }
}

async function sizeOf(corpus: CorpusUnderTest): Promise<BenchRow> {
  const [{ bytes, names }] = await corpus.database.query<{ bytes: number; names: number }>(
    `select pg_total_relation_size('domain')::float8 as bytes, (select count(*) from domain)::float8 as names`,
  );
  return atMost('a name with its indexes', bytes / names, 230, 'bytes');
}

/** Draws addresses and holders of names in the corpus. Frequent values are drawn more often. */
async function needlesOf({ database }: CorpusUnderTest) {
  const list = async (needles: string) => {
    const sql = `${needles} order by hashtext(name) limit ${NEEDLES}`;
    return (await database.query<{ needle: string }>(sql)).map(({ needle }) => needle);
  };
  return {
    addresses: await list(
      `select host(ip) as needle from dns_span where rtype = 1 and until is null`,
    ),
    holders: await list(
      `select folded as needle from contact_token where kind = 1 and unicode is null`,
    ),
  };
}

function searchesOf(
  { generated, zone }: typeof SIZE,
  needles: Awaited<ReturnType<typeof needlesOf>>,
): Search[] {
  const random = new Random(SEED);
  const any = () => generatedName(random.between(0, generated - 1), SEED);
  const label = (letters: number) => {
    const text = labelOf(random.between(0, zone - 1)).replaceAll(/[^a-z]/g, '');
    const from = random.between(0, Math.max(0, text.length - letters));
    return text.slice(from, from + letters).padEnd(letters, 'e');
  };
  const one = (all: readonly string[]) => all[random.between(0, all.length - 1)];
  const address = () => one(needles.addresses);
  const parts = ['Ltd', 'Holdings', 'Smith', 'Garcia', 'Müller'];
  return [
    ['history', WHOIS_HISTORY, 50, () => ({ domainName: any() })],
    ['subdomains', SUBDOMAINS, 50, () => ({ domainName: any() })],
    ['address → names', DNS_REVERSE, 50, () => ({ value: address(), type: 'A' })],
    [
      'reverse WHOIS, exact',
      WHOIS_REVERSE,
      50,
      () => ({ owner: one(needles.holders), exact: 'true' }),
    ],
    [
      'reverse WHOIS, wildcard',
      WHOIS_REVERSE,
      250,
      () => ({ keyword: `*${one(parts)}*`, mode: 'mini' }),
    ],
    ['substring of 5 letters', TYPOS, 150, () => ({ pattern: `*${label(5)}*` })],
    ['substring of 3 letters', TYPOS, 500, () => ({ pattern: `*${label(3)}*` })],
    ['permutations of a name', TYPOS, 500, () => ({ domainName: any() })],
  ];
}

async function firstPages(
  corpus: CorpusUnderTest,
  [what, row, targetMs, ask]: Search,
  pages: number,
): Promise<BenchRow> {
  const askSome = (count: number) =>
    inLanes(Array.from({ length: count }), CLIENTS, () => corpus.ask(row.owner.path, ask()));
  await askSome(2 * CLIENTS);
  const times = await askSome(pages);
  const p99 = atMost(
    `${what}, first page p99 of ${CLIENTS} clients`,
    percentile(times, 0.99),
    targetMs,
    'ms',
  );
  return { ...p99, median: percentile(times, 0.5) };
}

const labelOf = (index: number) => generatedName(index, SEED).split('.')[0].replace(/^xn--/, 'x');
