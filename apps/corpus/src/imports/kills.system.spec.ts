import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { CorpusSourcesClient, ServiceHttp, WHOIS_FILE_COLUMNS } from '#libs/contracts';
import type { Database } from '#libs/database';
import { type CrashPoint, ServiceTokens, SystemClock } from '#libs/platform';
import { TestDatabase, waitFor } from '#test/environment';
import { SourceServer } from '../../../simulators/src/sources/source-server.js';
import { ServiceProcess } from '../../../cluster/src/processes/service-process.js';

/** Starting and killing processes takes minutes. */
jest.setTimeout(1_200_000);

const NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE!;
const SECRET = 'a secret of the tests, thirty-two characters';
/** `LINES` fills three batches of observations; `LISTED` is the length of a list. */
const [LINES, LISTED] = [5_000, 900];
const each = (count: number, line: (place: number) => string) =>
  `${Array.from({ length: count }, (_, place) => line(place)).join('\n')}\n`;
const zone = (serial: number, from: number, to: number) =>
  [
    `kills.\t900\tin\tsoa\tns1.nic.kills. host.kills. ${serial} 1800 900 604800 86400`,
    ...Array.from(
      { length: to - from },
      (_, place) => `name-${from + place}.kills.\t3600\tin\tns\tns1.example.net.`,
    ),
    '',
  ].join('\n');
const csvRow = (values: Record<string, string>) =>
  WHOIS_FILE_COLUMNS.map((column) => values[column] ?? '').join();
const [from, to] = [1_700_000_000, 1_700_003_600];
/** The sources in the order of their imports. */
const FILES: Readonly<Record<string, Record<string, string>>> = {
  blocklist: { 'block.txt': each(LISTED, (place) => `listed-${place}.com`) },
  whois_csv: {
    'rows.csv': each(LINES, (place) =>
      csvRow({ domain_name: `row-${place}.com`, registrant_name: `Ada ${place}` }),
    ),
  },
  pdns: {
    'seen.jsonl': each(LINES, (place) =>
      JSON.stringify({
        rrname: `seen-${place}.com.`,
        rrtype: 'A',
        rdata: '198.18.0.1',
        time_first: from,
        time_last: to,
      }),
    ),
  },
  jsonl: {
    'lines.jsonl': each(LINES, (place) =>
      JSON.stringify({ kind: 'listed', name: `line-${place}.com`, at: '2024-01-01T00:00:00Z' }),
    ),
  },
  names: { 'names.txt': each(LISTED, (place) => `name-${place}.com`) },
  zone: { 'kills-20260105.zone': zone(1, 0, 900), 'kills-20260106.zone': zone(2, 100, 1_000) },
};
/** A log with three parts of at most eight tiles, which is imported first. */
const CERTIFICATES = Array.from({ length: 5_000 }, (_, place) => ({
  at: new Date(from * 1000),
  names: [`www.logged-${place}.com`],
}));
/**
 * The points at which the process is killed: in a file of each kind, before or after a commit. The commits of all kinds
 * use the same code.
 */
const DEATHS: readonly [CrashPoint, number][] = [
  ['import.after-commit', 1],
  ['import.before-commit', 3],
  ['import.after-commit', 2],
  ['import.before-commit', 4],
  ['import.after-commit', 3],
  ['import.before-commit', 11],
  ['import.after-commit', 90],
];

describe('an import whose process is killed', () => {
  let test: TestDatabase;
  let database: Database;
  let folder: string;
  let server: SourceServer;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kills-'));
    server = await SourceServer.start();
    test = await TestDatabase.create();
    database = await test.service('corpus');
  });
  afterAll(async () => {
    await test.drop();
    await server.close();
    await rm(folder, { recursive: true });
  });

  it('several times loses nothing and counts nothing twice', async () => {
    const settings = {
      NODE_COMPILE_CACHE,
      SERVICE_SECRET: SECRET,
      CORPUS_DATABASE_URL: test.url('corpus'),
      CORPUS_MAINTENANCE_DATABASE_URL: test.url('corpus_maintenance'),
      CORPUS_IMPORT_FOLDER: folder,
      CORPUS_UPSTREAM_EXCEPTIONS: `log.example:443=127.0.0.1:${server.port}`,
      CORPUS_EXTRA_CA_FILE: join(folder, 'authority.pem'),
    };
    await writeFile(settings.CORPUS_EXTRA_CA_FILE, server.authorityPem);
    server.publish('/log/', CERTIFICATES);
    const logFile = join(folder, 'corpus.log');
    const process = new ServiceProcess({ name: 'corpus', app: 'corpus', settings, logFile });
    const tokens = new ServiceTokens(SECRET, new SystemClock());
    const rights = { isShown: true, isSold: false, isLookedUp: false };
    await process.start();
    const http = new ServiceHttp({
      url: process.url,
      caller: 'cli',
      audience: 'corpus',
      tokens,
      timeoutMs: 60_000,
    });
    const sources = new CorpusSourcesClient(http);
    const location = 'https://log.example/log/';
    await sources.add({ name: 'ct', kind: 'ct', location, ...rights });
    for (const [kind, files] of Object.entries(FILES)) {
      const location = join(folder, kind);
      await mkdir(location);
      for (const [file, content] of Object.entries(files)) {
        await writeFile(join(location, file), content);
      }
      const category = kind === 'blocklist' ? 'phishing' : undefined;
      await sources.add({ name: kind, kind, location, category, ...rights });
    }
    await http.close();
    await process.stop();
    await database.query('update source set due_at = now() where location is not null');
    const died = new Set<string>();
    for (const [point, pass] of DEATHS) {
      await process.start({ CRASH_AT: `${point}:${pass}` });
      await process.untilEnded();
      expect(process.endedBy).toBe('SIGKILL');
      const [{ kind }] = await database.query<{ kind: string }>(
        'select kind from source where due_at is not null order by due_at, id limit 1',
      );
      died.add(kind);
      // The leases of killed processes end now, so that the next process need not wait.
      await database.query(`update job_lease set lease_until = '-infinity'`);
    }
    expect([...died]).toEqual(['ct', ...Object.keys(FILES)]);
    await process.start();
    try {
      await waitFor('the end of all imports', async () => {
        const [{ left }] = await database.query<{ left: number }>(
          `select count(*)::int as left from source where location is not null and due_at is not null`,
        );
        return left === 0;
      });
    } finally {
      await process.stop();
    }
    const [counts] = await database.query(
      `select (select count(*)::int from domain where name like '%.kills' and dropped_at is null) as zone,
         (select sum(names)::int from tld_names) as counted,
         (select count(*)::int from domain) as names,
         (select count(*)::int from whois_revision) as revisions,
         (select count(*)::int from contact_token) as tokens,
         (select count(*)::int from dns_span) as spans,
         (select count(*)::int from host) as hosts,
         (select count(*)::int from listed_name) as listed,
         (select count(*)::int from staged_name) + (select count(*)::int from staged_listing) as staged,
         (select count(*)::int from change_event where kind = 'new' and name like '%.kills') as fresh,
         (select count(*)::int from change_event where kind = 'dropped') as dropped,
         (select count(*)::int from (select name, kind, subject from change_event group by 1, 2, 3 having count(*) > 1) t) as twice,
         (select sum(observations)::int from source_total) as observations`,
    );
    const names = 3 * LINES + CERTIFICATES.length + LISTED + 1_000;
    expect(counts).toEqual({
      zone: 900,
      counted: names,
      names,
      revisions: LINES,
      tokens: LINES,
      spans: LINES,
      hosts: CERTIFICATES.length,
      listed: LISTED,
      staged: 0,
      fresh: 100,
      dropped: 100,
      twice: 0,
      // A block list contributes no observations.
      observations: 3 * LINES + CERTIFICATES.length + LISTED + 900 * 2,
    });
    const files = await database.query(
      `select file, state, new_names::int as fresh, dropped_names::int as dropped, position::int = lines::int as whole
       from import_file where file <> 'log' order by file`,
    );
    const loaded = (file: string, fresh: number, dropped = 0) => ({
      file,
      state: 'loaded',
      fresh,
      dropped,
      whole: true,
    });
    expect(files).toEqual([
      loaded('block.txt', LISTED),
      loaded('kills-20260105.zone', 900),
      loaded('kills-20260106.zone', 100, 100),
      loaded('lines.jsonl', LINES),
      loaded('names.txt', LISTED),
      loaded('rows.csv', LINES),
      loaded('seen.jsonl', LINES),
    ]);
  });
});
