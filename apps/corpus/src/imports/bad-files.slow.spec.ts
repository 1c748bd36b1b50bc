import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WHOIS_FILE_COLUMNS } from '#libs/contracts';
import { CorpusUnderTest } from '#test/corpus';

const MIB = 1024 * 1024;
/** More lines than fit into two batches of observations. */
const LINES = 4_500;
const AT = '2026-01-05T00:00:00Z';

interface Kind {
  head: (zone: string) => string[];
  line: (label: string, zone: string) => string;
  further?: object;
  /** Lines that are valid for other kinds of sources, but not for this one. */
  bad?: string[];
  tables: string[];
}

const csvRow = (values: Record<string, string>) =>
  WHOIS_FILE_COLUMNS.map((column) => values[column] ?? '').join();
const seen = (rrname: string, rdata: string, further: object = {}) =>
  JSON.stringify({
    rrname,
    rrtype: rdata.includes(':') ? 'AAAA' : 'A',
    rdata,
    time_first: 1_700_000_000,
    time_last: 1_700_003_600,
    ...further,
  });
const KINDS: Record<string, Kind> = {
  names: { head: () => [], line: (label, zone) => `${label}.${zone}`, tables: ['domain'] },
  zone: {
    head: (zone) => [
      `${zone}.\t900\tin\tsoa\tns1.nic.${zone}. host.${zone}. 1 1800 900 604800 86400`,
    ],
    line: (label, zone) => `${label}.${zone}.\t3600\tin\tns\tns1.example.net.`,
    tables: ['domain'],
  },
  whois_csv: {
    head: () => [WHOIS_FILE_COLUMNS.join()],
    line: (label, zone) =>
      csvRow({
        domain_name: `${label}.${zone}`,
        query_time: AT,
        registrant_name: `Ada ${label}`,
        registrant_city: 'domain_name',
      }),
    bad: [
      csvRow({ domain_name: 'future.org', query_time: '2099-01-01' }),
      csvRow({ domain_name: 'later.org', query_time: '9999-12-31' }),
      csvRow({ domain_name: 'before.org', query_time: '-000001-01-01' }),
    ],
    tables: ['domain', 'whois_revision', 'contact_token'],
  },
  pdns: {
    head: () => [],
    line: (label, zone) => seen(`www.${label}.${zone}.`, '198.18.9.9'),
    bad: [
      seen('scoped.org', 'fe80::1%eth0'),
      seen('block.org', '198.18.9.9/8'),
      seen('none.org', 'no address'),
      seen('future.org', '198.18.9.9', { time_last: 4_000_000_000 }),
      seen('before.org', '198.18.9.9', { time_first: -5 }),
    ],
    tables: ['domain', 'dns_span', 'host'],
  },
  jsonl: {
    head: () => [],
    line: (label, zone) =>
      JSON.stringify({
        kind: 'whois',
        name: `${label}.${zone}`,
        at: AT,
        record: { registrant_contact: { name: `Ada ${label}` } },
      }),
    bad: [JSON.stringify({ kind: 'listed', name: 'future.org', at: '2150-01-01T00:00:00Z' })],
    tables: ['domain', 'whois_revision', 'contact_token'],
  },
  blocklist: {
    head: () => [],
    line: (label, zone) => `${label}.${zone}`,
    further: { category: 'phishing' },
    tables: ['listed_name'],
  },
};
const TABLES = [
  ...new Set(Object.values(KINDS).flatMap(({ tables }) => tables)),
  'change_event',
  'staged_name',
  'staged_listing',
];

const UNREADABLE = /lines cannot be read|no SOA|ends within a line/;
/** 80 MiB of line feeds, compressed; used as the second part of a file. */
const BOMB = gzipSync(Buffer.alloc(80 * MIB, '\n'));
type Damage = [what: string, damage: (content: string) => Buffer, problem: RegExp, lines?: number];
/**
 * Files that were damaged in transit, or are packed or encoded in an unsupported way. This is detected before the lines
 * are read, and no part of the file is imported.
 */
const DAMAGED_OF_ALL_KINDS: readonly Damage[] = [
  ['cut off while packed', (text) => gzipSync(text).subarray(0, -9), /truncated/],
  [
    'cut off in its middle',
    (text) => gzipSync(text).subarray(0, gzipSync(text).length >> 1),
    /truncated/,
  ],
  [
    'made of two packed parts, the second of which is cut off',
    (text) => Buffer.concat([gzipSync(text), gzipSync(text).subarray(0, 40)]),
    /truncated/,
  ],
  ['a decompression bomb', (text) => Buffer.concat([gzipSync(text), BOMB]), /200 times/],
  ['compressed twice', (text) => gzipSync(gzipSync(text)), /compressed twice/],
  [
    'an archive of two files',
    () => Buffer.from('PK\u0003\u0004 a PK\u0003\u0004 b'),
    /zip archive/,
  ],
  ['an archive, packed again', () => gzipSync(Buffer.from('PK\u0003\u0004 a')), /zip archive/],
  ['in UTF-16', (text) => Buffer.from(`\ufeff${text}`, 'utf16le'), /UTF-16/],
  ['in UTF-16, packed', (text) => gzipSync(Buffer.from(`\ufeff${text}`, 'utf16le')), /UTF-16/],
  [
    'in UTF-16 of the other order',
    (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
    /UTF-16/,
  ],
];
/** Damage that is detected only when the lines are read. */
const DAMAGED_LINES: readonly Damage[] = [
  ['in UTF-16 without a byte order mark', (text) => Buffer.from(text, 'utf16le'), UNREADABLE],
  [
    'in an unknown encoding',
    (text) => Buffer.from(text.replaceAll('a', '\xe9'), 'latin1'),
    UNREADABLE,
  ],
  [
    'unreadable after its first lines',
    (text) => Buffer.from(text + 'no line of any kind ?\n'.repeat(2 * LINES)),
    UNREADABLE,
    LINES,
  ],
  [
    'cut off within its last line',
    (text) => Buffer.from(text.slice(0, text.trimEnd().lastIndexOf('.'))),
    /ends within a line/,
  ],
  ['a page of the web', () => Buffer.from('<!doctype html>\n<p>Not found</p>\n'), UNREADABLE],
];

let corpus: CorpusUnderTest;
let folder: string;
let sources = 0;

beforeAll(async () => {
  // This spec starts the import runs itself.
  corpus = await CorpusUnderTest.start({ work: 'serve' });
  folder = await mkdtemp(join(tmpdir(), 'bad-files-'));
});
afterAll(async () => {
  await corpus.stop();
  await rm(folder, { recursive: true, force: true });
});

describe.each(Object.entries(KINDS))(
  'a source of the kind "%s"',
  (kind, { head, line, further, bad = [], tables }) => {
    async function newSource() {
      const name = `source-${++sources}`;
      const location = await mkdtemp(join(folder, 'source-'));
      const rights = { isShown: true, isSold: false, isLookedUp: true };
      await corpus.sources.add({ name, kind, location, ...rights, ...further });
      return {
        run: async () => corpus.runSource(name),
        put: async (file: string, content: string | Buffer) =>
          writeFile(join(location, file), content),
      };
    }
    /** Kinds that share a table get different names. */
    const ownLabel = `name-${Object.keys(KINDS).indexOf(kind)}`;
    const linesOf = (count: number, zone: string) =>
      Array.from({ length: count }, (_, place) => line(`${ownLabel}-${place}`, zone));
    const fileOf = (lines: readonly string[], zone: string) =>
      `${[...head(zone), ...lines].join('\n')}\n`;
    const counts = async () => {
      const columns = TABLES.map((table) => `(select count(*)::int from ${table}) as ${table}`);
      const [row] = await corpus.database.query<Record<string, number>>(
        `select ${columns.join()}, (select coalesce(sum(names), 0)::int from tld_names) as counted,
         (select coalesce(sum(observations), 0)::int from source_total) as observations`,
      );
      return row;
    };
    const added = (before: Record<string, number>, after: Record<string, number>, of: string[]) =>
      Object.fromEntries(of.map((table) => [table, after[table] - before[table]]));
    const each = (count: number) => Object.fromEntries(tables.map((table) => [table, count]));
    const staged = ['staged_name', 'staged_listing'];

    // For most kinds, one form of damage suffices to show that damage is detected.
    it.each([...DAMAGED_OF_ALL_KINDS.slice(0, kind === 'names' ? undefined : 1), ...DAMAGED_LINES])(
      'imports nothing and gives the reason if a file is %s',
      async (...[, damage, problem, lines = 300]) => {
        const source = await newSource();
        const before = await counts();
        await source.put('file-20260105', damage(fileOf(linesOf(lines, 'com'), 'com')));
        const { file } = await source.run();
        expect(file).toMatchObject({ state: 'failed', newNames: 0 });
        expect(file?.problem).toMatch(problem);
        expect(await counts()).toEqual(before);
      },
    );

    it('reads a file in the same way with the line endings and the byte order mark of another operating system', async () => {
      const source = await newSource();
      const before = await counts();
      await source.put(
        'file-20260105',
        `\ufeff${fileOf(linesOf(20, 'com'), 'com').replaceAll('\n', '\r\n')}`,
      );
      expect((await source.run()).file).toMatchObject({ state: 'loaded', badLines: 0 });
      expect(added(before, await counts(), tables)).toEqual(each(20));
    });

    it('counts each line once if a file is delivered twice and three runs happen at once', async () => {
      const source = await newSource();
      const before = await counts();
      const content = fileOf(linesOf(LINES, 'net'), 'net');
      await source.put('file-20260105', content);
      await Promise.all([source.run(), source.run(), source.run()]);
      await source.run();
      const once = await counts();
      expect(added(before, once, tables)).toEqual(each(LINES));
      expect(added(before, once, staged)).toEqual({ staged_name: 0, staged_listing: 0 });
      await source.put('again-20260106', content);
      await source.put('packed-20260107', gzipSync(content));
      expect((await source.run()).file).toMatchObject({ state: 'repeated' });
      expect(await counts()).toEqual(once);
    });

    it('counts hostile lines and keeps samples of them, and imports the others', async () => {
      const source = await newSource();
      const before = await counts();
      const good = linesOf(200, 'org');
      const hostile = [
        line('nul\u0000byte', 'org'),
        line('x'.repeat(64), 'org'),
        line(`${'y'.repeat(60)}.`.repeat(4) + 'z'.repeat(20), 'org'),
        line('-ends-', 'org'),
        line('copy\\.', 'org'),
        line('\\N', 'org'),
        line('quote\'"', 'org'),
        line('xn--a', 'org'),
        line('b\u202eidi', 'org'),
        line('a'.repeat(10 * MIB), 'org'),
        `"${','.repeat(100_000)}`,
        '{'.repeat(100_000),
        '{"__proto__":{"kind":"listed"}}',
        // This sample would be cut within a surrogate pair.
        `${'x '.repeat(39)}y\u{1f600} z`,
        ...bad,
      ];
      await source.put('file-20260105', fileOf([...good, ...hostile, '\\.'], 'org'));
      const { file } = await source.run();
      expect(file).toMatchObject({ state: 'loaded' });
      const after = await counts();
      expect(added(before, after, tables)).toEqual(each(200));
      expect(file?.badLines).toBe(hostile.length + 1);
      expect(file?.badSamples).toHaveLength(Math.min(20, hostile.length + 1));
    });
  },
);
