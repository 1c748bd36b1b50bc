import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { CorpusSourcesClient, ServiceHttp } from '#libs/contracts';
import type { Database } from '#libs/database';
import { type CrashPoint, ServiceTokens, SystemClock } from '#libs/platform';
import { TestDatabase, waitFor } from '#test/environment';
import { ServiceProcess } from '../../../cluster/src/processes/service-process.js';

/** Processes are started and killed. */
jest.setTimeout(1_200_000);

const SECRET = 'a secret of the tests, thirty-two characters';
const LISTED = 3_000;
const zone = (serial: number, from: number, to: number) =>
  [
    `kills.\t900\tin\tsoa\tns1.nic.kills. host.kills. ${serial} 1800 900 604800 86400`,
    ...Array.from(
      { length: to - from },
      (_, place) => `name-${from + place}.kills.\t3600\tin\tns\tns1.example.net.`,
    ),
    '',
  ].join('\n');
const lines = Array.from({ length: LISTED * 2 }, (_, place) =>
  JSON.stringify({ kind: 'listed', name: `line-${place}.com`, at: '2024-01-01T00:00:00Z' }),
);
const FILES: Readonly<Record<string, Record<string, string>>> = {
  zone: { 'kills-20260105.zone': zone(1, 0, 900), 'kills-20260106.zone': zone(2, 100, 1_000) },
  jsonl: { 'lines.jsonl': `${lines.join('\n')}\n` },
};
/** Dies at each of these, life after life. */
const DEATHS: readonly [CrashPoint, number][] = [
  ['import.before-commit', 1],
  ['import.after-commit', 1],
  ['import.before-commit', 2],
  ['import.before-commit', 20],
  ['import.after-commit', 9],
  ['import.after-commit', 30],
];

describe('an import whose process is killed', () => {
  let test: TestDatabase;
  let database: Database;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kills-'));
    test = await TestDatabase.create();
    database = await test.service('corpus');
  });
  afterAll(async () => {
    await test.drop();
    await rm(folder, { recursive: true });
  });

  it('repeatedly loses nothing and counts nothing twice', async () => {
    const settings = {
      SERVICE_SECRET: SECRET,
      CORPUS_DATABASE_URL: test.url('corpus'),
      CORPUS_MAINTENANCE_DATABASE_URL: test.url('corpus_maintenance'),
      CORPUS_IMPORT_FOLDER: folder,
    };
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
    for (const [kind, files] of Object.entries(FILES)) {
      const location = join(folder, kind);
      await mkdir(location);
      for (const [file, content] of Object.entries(files)) {
        await writeFile(join(location, file), content);
      }
      await new CorpusSourcesClient(http).add({ name: kind, kind, location, ...rights });
    }
    await http.close();
    await process.stop();
    await database.query('update source set due_at = now() where location is not null');
    let kills = 0;
    for (const [point, pass] of DEATHS) {
      await process.start({ CRASH_AT: `${point}:${pass}` });
      await process.untilEnded();
      expect(process.endedBy).toBe('SIGKILL');
      kills += 1;
      // Nobody waits for the lease of the dead process.
      await database.query(`update job_lease set lease_until = '-infinity'`);
    }
    await process.start();
    try {
      await waitFor('the end of both imports', async () => {
        const [{ left }] = await database.query<{ left: number }>(
          `select count(*)::int as left from source where location is not null and due_at is not null`,
        );
        return left === 0;
      });
    } finally {
      await process.stop();
    }
    expect(kills).toBe(DEATHS.length);
    const [counts] = await database.query(
      `select (select count(*)::int from domain where name like 'line-%.com') as lines,
         (select count(*)::int from domain where name like '%.kills' and dropped_at is null) as zone,
         (select sum(names)::int from tld_names) as counted,
         (select count(*)::int from domain) as names,
         (select count(*)::int from staged_name) as staged,
         (select count(*)::int from change_event where kind = 'new' and name like '%.kills') as fresh,
         (select count(*)::int from change_event where kind = 'dropped') as dropped,
         (select count(*)::int from (select name, kind from change_event group by 1, 2 having count(*) > 1) t) as twice,
         (select sum(observations)::int from source_total) as observations`,
    );
    expect(counts).toEqual({
      lines: LISTED * 2,
      zone: 900,
      counted: LISTED * 2 + 1_000,
      names: LISTED * 2 + 1_000,
      staged: 0,
      fresh: 100,
      dropped: 100,
      twice: 0,
      observations: LISTED * 2 + 900 * 2,
    });
    const files = await database.query(
      `select file, state, new_names::int as fresh, dropped_names::int as dropped, position::int = lines::int as whole
       from import_file order by file`,
    );
    expect(files).toEqual([
      { file: 'kills-20260105.zone', state: 'loaded', fresh: 900, dropped: 0, whole: true },
      { file: 'kills-20260106.zone', state: 'loaded', fresh: 100, dropped: 100, whole: true },
      { file: 'lines.jsonl', state: 'loaded', fresh: LISTED * 2, dropped: 0, whole: true },
    ]);
  });
});
