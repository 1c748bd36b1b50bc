import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DAY_MS, HOUR_MS } from '#libs/platform';
import { CorpusUnderTest } from '#test/corpus';
import { SourceServer } from '../../../simulators/src/sources/source-server.js';
import { fileName } from '../names/registrable-name.js';
import { FullListsService } from '../observations/full-lists.service.js';
import { ImportFilesService } from './import-files.service.js';
import { ImportsJob } from './imports.job.js';

const RIGHTS = { isShown: true, isSold: false, isLookedUp: true };

describe('remote sources', () => {
  let corpus: CorpusUnderTest;
  let server: SourceServer;
  let folder: string;

  beforeAll(async () => {
    server = await SourceServer.start();
    folder = await mkdtemp(join(tmpdir(), 'places-'));
    const extraCaFile = join(folder, 'authority.pem');
    await writeFile(extraCaFile, server.authorityPem);
    // This spec starts the import runs itself.
    corpus = await CorpusUnderTest.start({
      work: 'serve',
      upstreamExceptions: `files.example:443=127.0.0.1:${server.port}`,
      extraCaFile,
    });
  });
  afterAll(async () => {
    await corpus.stop();
    await server.close();
    await rm(folder, { recursive: true });
  });

  const add = async (name: string, kind: string, path: string, further: object = {}) =>
    corpus.sources.add({
      name,
      kind,
      location: `https://files.example${path}`,
      ...RIGHTS,
      ...further,
    });
  const known = async (like: string) =>
    (
      await corpus.database.query<{ name: string }>(
        'select name from domain where name like $1 order by name',
        [like],
      )
    ).map(({ name }) => name);
  const askedFor = (path: string) => server.asked.filter((asked) => asked.startsWith(path));
  const listOf = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, place) => `${prefix}${place}.com\n`).join('');

  it('S54: an address that is not public is not contacted', async () => {
    const location = 'https://127.0.0.1/names.txt';
    await corpus.sources.add({ name: 'loopback', kind: 'names', location, ...RIGHTS });
    expect((await corpus.runSource('loopback')).problem).toBe('No connection: blocked_address.');
  });

  describe('over HTTPS', () => {
    it('a file is fetched once, and again when it has changed', async () => {
      server.put('/once.txt', 'once-a.com\n');
      await add('once', 'names', '/once.txt');
      expect((await corpus.runSource('once')).file).toMatchObject({ state: 'loaded', newNames: 1 });
      await corpus.runSource('once');
      server.put('/once.txt', 'once-a.com\nonce-b.com\n');
      expect((await corpus.runSource('once')).file).toMatchObject({ state: 'loaded', newNames: 1 });
      expect(await known('once-%')).toEqual(['once-a.com', 'once-b.com']);
    });

    it('an import whose file is replaced before it ends is given up', async () => {
      server.put('/replaced.txt', 'replaced-a.com\n');
      await add('replaced', 'names', '/replaced.txt');
      const [{ id }] = await corpus.database.query<{ id: string }>(
        `insert into import_file (id, source_id, file, version, observed_at, state, started_at)
         select gen_random_uuid(), id, 'replaced.txt', 'earlier', '2024-01-01', 'loading', '2024-01-01'
         from source where name = 'replaced' returning id`,
      );
      await corpus.database.transaction(async (transaction) =>
        corpus.get(FullListsService).stage(transaction, id, [fileName('replaced-b.com')!]),
      );
      const { file, problem } = await corpus.runSource('replaced');
      expect([file?.state, problem]).toEqual(['loaded', null]);
      expect(await corpus.database.query('select name from staged_name')).toEqual([]);
      const [source] = (await corpus.sources.list()).filter(({ name }) => name === 'replaced');
      expect(source.fileProblem).toBeNull();
    });

    it('a block list that is put back to an earlier version no longer has the names that were added in between', async () => {
      await add('reverted', 'blocklist', '/reverted.txt', { category: 'phishing' });
      const right = 'right-one.com\n';
      const listed: unknown[] = [];
      for (const [place, list] of [right, `${right}wrong-one.com\n`, right, right].entries()) {
        corpus.clock.advance(1);
        server.put('/reverted.txt', list, { modifiedAt: new Date(Date.UTC(2026, 0, 5 + place)) });
        const { file } = await corpus.runSource('reverted');
        listed.push([file?.newNames, file?.droppedNames]);
      }
      expect(listed).toEqual([
        [1, 0],
        [1, 0],
        [0, 1],
        [0, 1],
      ]);
    });

    it('an interrupted download continues where it stopped', async () => {
      const content = `${listOf('broken-', 100)}${`# ${'x'.repeat(1_000)}\n`.repeat(4_000)}`;
      server.put('/broken.txt', content, { breaks: [1_500_000, 0, 1_000_000] });
      await add('broken', 'names', '/broken.txt');
      expect((await corpus.runSource('broken')).file).toMatchObject({
        newNames: 100,
        badLines: 0,
      });
      const asked = askedFor('/broken.txt');
      expect(asked[0]).toBe('/broken.txt');
      expect(asked.slice(1)).toEqual(Array(3).fill(expect.stringMatching(/ bytes=[1-9]/)));
    });

    it('a file whose download fails on every attempt leaves nothing behind, and the source states the reason', async () => {
      server.put('/never.txt', listOf('never-', 5_000), { breaks: [1, 1, 1, 1, 1] });
      await add('never', 'names', '/never.txt');
      const { file, problem } = await corpus.runSource('never');
      expect([file, problem]).toEqual([undefined, expect.stringMatching(/^The import failed/)]);
      expect(await known('never-%')).toEqual([]);
    });

    it.each([
      ['/moved.txt', 'https://files.example/target.txt', null],
      ['/plain.txt', 'http://files.example/target.txt', 'It redirects to an address without TLS.'],
      ['/inside.txt', 'https://127.0.0.1/target.txt', 'No connection: blocked_address.'],
      ['/round.txt', 'https://files.example/round.txt', 'It redirects more than 3 times.'],
      ['/gone.txt', '', 'files.example answered 404.'],
    ])('S54: %s, redirected to "%s", has the problem %j', async (path, target, problem) => {
      server.put('/target.txt', 'target-a.com\n');
      if (target) server.redirect(path, target);
      const name = path.slice(1, -4);
      await add(name, 'names', path);
      expect((await corpus.runSource(name)).problem).toBe(problem);
    });

    it('a source that cannot be fetched counts as failing until it can be fetched', async () => {
      await add('absent', 'names', '/absent.txt');
      const isFailed = async () => {
        await corpus.runSource('absent');
        const newest = await corpus.get(ImportFilesService).listNewest();
        return newest.find(({ source }) => source === 'absent')?.isFailed;
      };
      expect(await isFailed()).toBe(true);
      server.put('/absent.txt', 'absent-a.com\n');
      expect(await isFailed()).toBe(false);
      server.put('/absent.txt', Buffer.alloc(1_000, 'a b\n'));
      expect(await isFailed()).toBe(true);
      const absent = (await corpus.sources.list()).find(({ name }) => name === 'absent');
      expect(absent?.fileProblem).toMatch(/^absent\.txt: 250 of 250 lines cannot be read/);
    });

    it('a host whose certificate is from an unknown authority is not trusted', async () => {
      const location = 'https://untrusted.files.example/target.txt';
      await corpus.sources.add({ name: 'stranger', kind: 'names', location, ...RIGHTS });
      expect((await corpus.runSource('stranger')).problem).toMatch(/^No connection/);
    });
  });

  it('a source with a schedule runs at once and then whenever it is due, but not in between', async () => {
    const run = async () => corpus.get(ImportsJob).runOnce();
    server.put('/daily.txt', 'daily-a.com\n');
    await add('daily', 'names', '/daily.txt', { everyMs: DAY_MS });
    await run();
    expect(await known('daily-%')).toEqual(['daily-a.com']);
    server.put('/daily.txt', 'daily-a.com\ndaily-b.com\n');
    corpus.clock.advance(DAY_MS - HOUR_MS);
    await run();
    expect(askedFor('/daily.txt')).toHaveLength(1);
    corpus.clock.advance(HOUR_MS);
    await run();
    expect(await known('daily-%')).toEqual(['daily-a.com', 'daily-b.com']);
    const [{ dueAt }] = (await corpus.sources.list()).filter(({ name }) => name === 'daily');
    expect(Date.parse(dueAt!)).toBe(corpus.clock.now().getTime() + DAY_MS);
  });

  describe('a certificate log', () => {
    const certificates = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, place) => {
        const number = from + place;
        const names = [
          `www.logged-${number}.com`,
          `*.logged-${number}.com`,
          `logged-${number}.com`,
        ];
        return { at: new Date(1_700_000_000_000 + number * 1000), names };
      });
    const counts = async () => {
      const [row] = await corpus.database.query(
        `select (select count(*)::int from domain where name like 'logged-%') as names,
           (select count(*)::int from host where name like 'logged-%') as hosts,
           (select position::int from import_file f join source s on s.id = f.source_id
            where s.name = 'log') as position`,
      );
      return row;
    };

    it('is read to its last entry, each entry once, and its lag is measured', async () => {
      server.publish('/log/', certificates(0, 700));
      await add('log', 'ct', '/log', { logKey: server.logKey });
      await corpus.runSource('log');
      expect(await counts()).toEqual({ names: 700, hosts: 1_400, position: 700 });
      server.publish('/log/', certificates(0, 1_100));
      await Promise.all([corpus.runSource('log'), corpus.runSource('log')]);
      await corpus.runSource('log');
      expect(await counts()).toEqual({ names: 1_100, hosts: 2_200, position: 1_100 });
      const tiles = askedFor('/log/tile/names/').map((path) => path.slice(16));
      expect(new Set(tiles)).toEqual(
        new Set(['000', '001', '002.p/188', '002', '003', '004.p/76']),
      );
      const [lag] = await corpus.get(ImportFilesService).listLags();
      expect(lag).toMatchObject({ source: 'log', entries: 0 });
    });

    it('is verified against the trees of its checkpoints, each of which extends the previous one', async () => {
      // The first entry to import is beyond the end of the log, so only its tree is checked.
      await add('grows', 'ct', '/grows/#200000');
      for (const size of [0, 1, 2, 3, 255, 256, 257, 511, 513, 65_535, 65_793]) {
        server.publish('/grows/', certificates(2_000_000, 2_000_000 + size));
        const { file, problem } = await corpus.runSource('grows');
        expect([problem, file?.lines]).toEqual([null, size]);
      }
    });

    it('is not followed if its tree differs from the earlier one or from its tiles', async () => {
      server.publish('/forks/', certificates(3_000, 3_300));
      await add('forks', 'ct', '/forks/');
      await corpus.runSource('forks');
      // The other log has as many entries as the imported log, or more.
      for (const other of [300, 700]) {
        server.publish('/forks/', [
          ...certificates(3_000, 3_299),
          ...certificates(50_000, 49_701 + other),
        ]);
        const { file, problem } = await corpus.runSource('forks');
        expect(problem).toMatch(
          /^The checkpoint of \d+ entries does not continue the checkpoint of 300/,
        );
        expect(file).toMatchObject({ position: 300, lines: 300 });
      }
      expect(await known('logged-50___.com')).toEqual([]);
      server.publish('/forks/', certificates(3_000, 3_400));
      server.put('/forks/tile/0/001.p/144', Buffer.alloc(144 * 32));
      expect((await corpus.runSource('forks')).problem).toMatch(/does not continue/);
      server.publish('/forks/', certificates(3_000, 3_400));
      expect(await corpus.runSource('forks')).toMatchObject({
        problem: null,
        file: { position: 400 },
      });
      server.put('/damaged/checkpoint', server.contentOf('/forks/checkpoint'));
      await add('damaged', 'ct', '/damaged/');
      expect((await corpus.runSource('damaged')).problem).toBe(
        'Hash tile 1/000 is damaged or missing.',
      );
    });

    it('is not followed if its checkpoint is signed by another key or not at all', async () => {
      const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;
      const logKey = other.export({ format: 'der', type: 'spki' }).toString('base64');
      server.publish('/signed/', certificates(60_000, 60_010));
      await add('signed', 'ct', '/signed/', { logKey });
      const refused = "The log's checkpoint is not signed with its key.";
      expect((await corpus.runSource('signed')).problem).toBe(refused);
      await corpus.sources.set('signed', { logKey: server.logKey });
      const checkpoint = server.contentOf('/signed/checkpoint').toString();
      server.put('/signed/checkpoint', checkpoint.replace('\n10\n', '\n9\n'));
      expect((await corpus.runSource('signed')).problem).toBe(refused);
      server.put('/signed/checkpoint', checkpoint);
      expect((await corpus.runSource('signed')).problem).toBeNull();
      expect(await known('logged-6000_.com')).toHaveLength(10);
      await expect(corpus.sources.set('signed', { logKey: 'bm9uZQ==' })).rejects.toThrow();
    });

    it('is reported, and keeps its position, if it starts later, shrank, or has short, compressed or missing tiles', async () => {
      server.publish('/late/', certificates(1_000, 1_512));
      await add('late', 'ct', '/late/#300');
      await corpus.runSource('late');
      expect(await known('logged-1255.com')).toEqual([]);
      expect(await known('logged-1256.com')).toEqual(['logged-1256.com']);
      server.publish('/late/', certificates(1_000, 1_768));
      server.put('/late/tile/names/002', gzipSync(Buffer.alloc(80 * 1024 * 1024)));
      const bomb = await corpus.runSource('late');
      expect(bomb.problem).toBe('Tile 2 is damaged, or a decompression bomb.');
      expect(bomb.file).toMatchObject({ position: 512, lines: 768 });
      server.put('/late/tile/names/002', '{}\n'.repeat(255));
      expect((await corpus.runSource('late')).problem).toBe('Tile 2 has fewer than 256 entries.');
      const others = `${JSON.stringify({ Timestamp: 4_000_000_000_000, DNS: ['future-one.com'] })}\n`;
      server.put('/late/tile/names/002', Buffer.from(others.repeat(256), 'utf16le'));
      expect((await corpus.runSource('late')).problem).toBe('Tile 2 cannot be read.');
      const lags = await corpus.get(ImportFilesService).listLags();
      expect(lags).toContainEqual(expect.objectContaining({ source: 'late', entries: 256 }));
      server.publish('/late/', certificates(1_000, 1_300));
      expect((await corpus.runSource('late')).problem).toBe(
        'The log has 300 entries, but had 768 entries before.',
      );
      server.publish('/late/', certificates(1_000, 1_790));
      server.put('/late/tile/names/002', others.repeat(256));
      server.remove('/late/tile/names/003.p/22');
      expect(await corpus.runSource('late')).toMatchObject({
        problem: null,
        file: { position: 768 },
      });
      expect(await known('future-one.com')).toEqual([]);
    });
  });
});
