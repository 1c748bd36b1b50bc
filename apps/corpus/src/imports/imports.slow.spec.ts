import { mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WHOIS_FILE_COLUMNS } from '#libs/contracts';
import type { Database } from '#libs/database';
import { CorpusUnderTest } from '#test/corpus';
import { scrape } from '#test/environment';
import { ImportFilesService } from './import-files.service.js';

describe('imports', () => {
  let corpus: CorpusUnderTest;
  let database: Database;
  let folder: string;
  let sources = 0;

  beforeAll(async () => {
    // This spec starts the import runs itself.
    corpus = await CorpusUnderTest.start({ work: 'serve' });
    ({ database } = corpus);
    folder = await mkdtemp(join(tmpdir(), 'imports-'));
  });
  afterAll(async () => {
    await corpus.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function newSource(kind: string, further: { category?: string } = {}) {
    const name = `source-${++sources}`;
    const location = await mkdtemp(join(folder, 'source-'));
    const rights = { isShown: true, isSold: false, isLookedUp: true };
    await corpus.sources.add({ name, kind, location, ...rights, ...further });
    return {
      name,
      put: async (file: string, content: string | Buffer) => {
        await writeFile(join(location, file), content);
        return corpus.runSource(name);
      },
      path: (file: string) => join(location, file),
      run: async () => corpus.runSource(name),
    };
  }
  const known = async (like: string) => {
    const sql = 'select name from domain where name like $1 and dropped_at is null order by name';
    const rows = await database.query<{ name: string }>(sql, [like]);
    return rows.map(({ name }) => name);
  };
  const changes = async (like: string) =>
    database.query('select name, kind from change_event where name like $1 order by id', [like]);
  const counts = async () =>
    database.query(
      `select (select count(*) from domain) as names, (select sum(names) from tld_names) as counted,
         (select count(*) from staged_name) as staged, (select count(*) from change_event) as changes,
         (select sum(observations) from source_total) as observations,
         (select count(*) from whois_revision) as revisions`,
    );
  const zone = (origin: string, serial: number, labels: string[]) =>
    [
      `${origin}.\t900\tin\tsoa\tns1.nic.${origin}. host.${origin}. ${serial} 1800 900 604800 86400`,
      `${origin}.\t900\tin\tns\tns1.nic.${origin}.`,
      ...labels.flatMap((label) => [
        `${label}.${origin}.\t3600\tin\tns\tns1.example.net.`,
        `${label}.${origin}.\t3600\tin\tns\tns2.example.net.`,
        `ns1.${label}.${origin}.\t3600\tin\ta\t192.0.2.1`,
      ]),
      '',
    ].join('\n');
  const labels = (prefix: string, from: number, to: number) =>
    Array.from({ length: to - from }, (_, place) => `${prefix}${from + place}`);

  it('a list of names is imported, each name once, with bad lines counted and sampled', async () => {
    const source = await newSource('names');
    const { file } = await source.put(
      'list-2026-01-05.txt',
      '# names\nlist-a.com\nLIST-B.com.\n-bad-.com\nwww.list-a.com\nbücher-list.com,2026\n\n',
    );
    expect(file).toMatchObject({ state: 'loaded', badLines: 1, newNames: 3 });
    expect(file?.badSamples).toEqual([{ line: 4, text: '-bad-.com' }]);
    expect(file?.observedAt).toBe('2026-01-05T00:00:00.000Z');
    expect(await known('%list%.com')).toEqual([
      'list-a.com',
      'list-b.com',
      'xn--bcher-list-9db.com',
    ]);
  });

  it('the second file of a zone yields new and dropped names; the first does not', async () => {
    const source = await newSource('zone');
    const first = zone('shop', 1, labels('zone-', 0, 300));
    const { file } = await source.put('shop-20260105.zone.gz', gzipSync(first));
    expect(file).toMatchObject({ state: 'loaded', badLines: 0, newNames: 300, droppedNames: 0 });
    expect(await changes('zone-%.shop')).toEqual([]);
    const { file: next } = await source.put(
      'shop-20260106.zone',
      zone('shop', 2, labels('zone-', 1, 302)),
    );
    expect(next).toMatchObject({ state: 'loaded', newNames: 2, droppedNames: 1 });
    expect(new Set(await changes('zone-%.shop'))).toEqual(
      new Set([
        { name: 'zone-300.shop', kind: 'new' },
        { name: 'zone-301.shop', kind: 'new' },
        { name: 'zone-0.shop', kind: 'dropped' },
      ]),
    );
    const batches = await database.query(
      `select scope, is_complete as complete, rows::int, new_names::int as new from source_batch
       where scope = 'zone shop' order by observed_at`,
    );
    expect(batches).toEqual([
      { scope: 'zone shop', complete: true, rows: 902, new: 300 },
      { scope: 'zone shop', complete: true, rows: 905, new: 2 },
    ]);
    // Another list contains the name, so the name is restored.
    await corpus.record({ kind: 'listed', name: 'zone-0.shop', at: '2026-01-07T00:00:00Z' });
    expect(await known('zone-0.shop')).toEqual(['zone-0.shop']);
  });

  it.each([
    ['space', 'is compared with the previous file', true],
    ['site', 'is imported as a whole if the previous file no longer exists', false],
  ])('the next zone file of .%s %s, with the same result', async (origin, _, isKept) => {
    const source = await newSource('zone');
    const name = (label: number) => `day-${label}.${origin}`;
    await source.put(`${origin}-20260105.zone`, zone(origin, 1, labels('day-', 0, 300)));
    await corpus.record({ kind: 'gone', name: name(7), at: '2026-01-05T12:00:00Z' });
    if (!isKept) await rm(source.path(`${origin}-20260105.zone`));
    // The new file has the same names in another order, one of them with another name server.
    const next = [...labels('day-', 200, 302), ...labels('day-', 1, 200)];
    const moved = zone(origin, 2, next).replace(
      `${name(5)}.\t3600\tin\tns\tns1`,
      `${name(5)}.\t3600\tin\tns\tns9`,
    );
    const { file } = await source.put(`${origin}-20260106.zone`, moved);
    expect(file).toMatchObject({ state: 'loaded', droppedNames: 1, isDifference: isKept });
    expect(new Set(await changes(`day-%.${origin}`))).toEqual(
      new Set([
        { name: name(7), kind: 'dropped' },
        { name: name(7), kind: 'new' },
        { name: name(300), kind: 'new' },
        { name: name(301), kind: 'new' },
        { name: name(0), kind: 'dropped' },
      ]),
    );
    expect((await known(`day-%.${origin}`)).length).toBe(301);
    const [{ observations }] = await database.query<{ observations: number }>(
      `select observations::int from source_total t join source s on s.id = t.source_id
       where s.name = $1`,
      [source.name],
    );
    expect(observations).toBe(300 + 301);
    expect(await database.query('select from staged_name')).toEqual([]);
  });

  it('a zone file that is older, or lacks many names, drops no name', async () => {
    const source = await newSource('zone');
    await source.put('art-20260105.zone', zone('art', 5, labels('kept-', 0, 400)));
    const { file: shrunken } = await source.put(
      'art-20260106.zone',
      zone('art', 6, labels('kept-', 0, 200)),
    );
    expect(shrunken).toMatchObject({ state: 'failed', droppedNames: 0 });
    expect(shrunken?.problem).toMatch(/^It lacks 200 of the 400 listed names/);
    const newest = await corpus.get(ImportFilesService).listNewest();
    expect(newest).toContainEqual({ source: source.name, isFailed: true });
    const { file: older } = await source.put(
      'art-20260104.zone',
      zone('art', 4, labels('old-', 0, 400)),
    );
    expect(older?.problem).toMatch(/^It is not newer/);
    expect((await known('%.art')).length).toBe(400);
    expect(await changes('%.art')).toEqual([]);
  });

  it('a zone file that is older than another source’s list drops none of that list’s names', async () => {
    const [first, second] = [await newSource('zone'), await newSource('zone')];
    await first.put('two-20260105.zone', zone('two', 5, labels('a-', 0, 40)));
    await second.put('two-20260107.zone', zone('two', 7, labels('a-', 0, 40)));
    const late = await first.put('two-20260106.zone', zone('two', 6, labels('a-', 0, 39)));
    expect(late.file).toMatchObject({ state: 'loaded', droppedNames: 0 });
    expect((await known('%.two')).length).toBe(40);
    const next = await first.put('two-20260108.zone', zone('two', 8, labels('a-', 0, 38)));
    expect(next.file).toMatchObject({ state: 'loaded', droppedNames: 1 });
  });

  it('rows with the 62 columns become records, whatever the columns contain', async () => {
    const source = await newSource('whois_csv');
    const quoted = (text = '') => `"${text.replaceAll('"', '""')}"`;
    const row = (values: Record<string, string>) =>
      WHOIS_FILE_COLUMNS.map((column) => quoted(values[column])).join(',');
    const hostile = '<script>alert("1")</script>\u202e';
    const csv = [
      WHOIS_FILE_COLUMNS.join(','),
      row({
        domain_name: 'csv-a.com',
        query_time: '2024-03-05 10:11:12',
        create_date: '2020-01-01',
        registrant_name: hostile,
        registrant_email: "'=cmd@example.net",
        name_server_1: 'NS1.Example.net',
      }),
      row({ domain_name: 'csv-b.com', query_time: '2024-03-05' }),
      '"csv-c.com","open',
      '',
    ].join('\n');
    const { file } = await source.put('whois.csv', csv);
    expect(file).toMatchObject({ state: 'loaded', newNames: 2, badLines: 1 });
    const [{ record, at }] = await database.query<{ record: object; at: Date }>(
      `select record, observed_at as at from whois_revision where name = 'csv-a.com'`,
    );
    expect(at.toISOString()).toBe('2024-03-05T10:11:12.000Z');
    expect(record).toEqual({
      create_date: '2020-01-01',
      registrant_contact: {
        name: '<script>alert("1")</script>',
        email_address: '=cmd@example.net',
      },
      name_servers: ['ns1.example.net'],
    });
  });

  it('passive DNS lines, with all of their values, and our own format are imported as observations', async () => {
    const pdns = await newSource('pdns');
    const seen = { rrtype: 'A', count: 3, time_first: 1700000000, time_last: 1700003600 };
    const lines = [
      { ...seen, rrname: 'www.cof-a.com.', rdata: '192.0.2.7' },
      { ...seen, rrname: 'all.cof-a.com.', rdata: ['192.0.2.8', 'no address', '192.0.2.9'] },
    ];
    const { file } = await pdns.put(
      'cof.jsonl',
      lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    );
    expect(file).toMatchObject({ state: 'loaded', badLines: 0 });
    expect(
      await database.query(
        `select host, value from dns_span where name = 'cof-a.com' order by value`,
      ),
    ).toEqual([
      { host: 'www', value: '192.0.2.7' },
      { host: 'all', value: '192.0.2.8' },
      { host: 'all', value: '192.0.2.9' },
    ]);
    const jsonl = await newSource('jsonl');
    const line = { kind: 'listed', name: 'jsonl-a.com', at: '2024-01-01T00:00:00Z' };
    await jsonl.put('own.jsonl', JSON.stringify(line));
    expect(await known('jsonl-a.com')).toEqual(['jsonl-a.com']);
  });

  it('a file that arrives twice, under any name, counts once', async () => {
    const source = await newSource('names');
    await source.put('one.txt', 'twice-a.com\ntwice-b.com\n');
    const before = await counts();
    const { file } = await source.put('two.txt', 'twice-a.com\ntwice-b.com\n');
    expect(file).toMatchObject({ file: 'two.txt', state: 'repeated', newNames: 0 });
    await utimes(source.path('one.txt'), 1_700_000_000, 1_700_000_000);
    await source.run();
    expect(await counts()).toEqual(before);
  });

  it('a source counts as failing from a rejected file until the next imported file', async () => {
    const source = await newSource('names');
    const failed = async () =>
      (await scrape(corpus.url)).get(`dds_corpus_import_failed{source="${source.name}"}`);
    const told: (number | undefined)[] = [await failed()];
    for (const [file, content] of [
      ['20260105.txt', 'failing-a.com\n'],
      ['20260106.txt', Buffer.from('PK\u0003\u0004')],
      ['20260107.txt', 'failing-b.com\n'],
    ] as const) {
      await source.put(file, content);
      told.push(await failed());
    }
    corpus.clock.advance(1);
    await source.run();
    expect([...told, await failed()]).toEqual([0, 0, 1, 0, 0]);
  });

  describe('a block list', () => {
    const listed = async (name: string) =>
      database.query(
        `select l.name, l.host, l.category, l.delisted_at is null as "isListed" from listed_name l
         join source s on s.id = l.source_id where s.name = $1 order by l.name, l.host`,
        [name],
      );
    const on = (name: string, host = '', isListed = true) => ({
      name,
      host,
      category: 'phishing',
      isListed,
    });

    it('is read in the usual formats, and names that are no longer in the list are delisted', async () => {
      const source = await newSource('blocklist', { category: 'phishing' });
      const { file } = await source.put(
        'list-20260105.txt',
        [
          '# a list',
          '! of filters',
          '127.0.0.1 localhost',
          '0.0.0.0 block-a.com # a comment',
          '||ads.block-b.com^$third-party',
          '@@||block-z.com^',
          'https://login.block-c.com/path?query',
          '2026-01-01,"phish.block-d.com","bank"',
          '*.block-e.com',
          'BLOCK-A.com',
          '192.0.2.1',
          'no name at all',
          '',
        ].join('\n'),
      );
      expect(file).toMatchObject({ state: 'loaded', badLines: 1, newNames: 5, droppedNames: 0 });
      expect(file?.badSamples).toEqual([{ line: 12, text: 'no name at all' }]);
      const all = [
        on('block-a.com'),
        on('block-b.com', 'ads'),
        on('block-c.com', 'login'),
        on('block-d.com', 'phish'),
        on('block-e.com'),
      ];
      expect(await listed(source.name)).toEqual(all);
      expect(await known('block-%.com')).toEqual([]);
      const next = await source.put('list-20260106.txt', 'block-a.com\nblock-f.com\n');
      expect(next.file).toMatchObject({ newNames: 1, droppedNames: 4 });
      expect(await listed(source.name)).toEqual([
        on('block-a.com'),
        ...all.slice(1).map((one) => ({ ...one, isListed: false })),
        on('block-f.com'),
      ]);
      const back = await source.put('list-20260107.txt', 'block-a.com\nads.block-b.com\n');
      expect(back.file).toMatchObject({ newNames: 1, droppedNames: 1 });
    });

    it('delists the names of the previous version even if it returns to an earlier content', async () => {
      const source = await newSource('blocklist', { category: 'phishing' });
      const [right, wrong] = ['right.com\n', 'right.com\nmistake.com\n'];
      for (const [place, list] of [right, wrong, right].entries()) {
        await source.put(`list-2026010${5 + place}.txt`, list);
      }
      expect(await listed(source.name)).toEqual([on('mistake.com', '', false), on('right.com')]);
    });

    it.each([
      ['older', 'list-20260104.txt', 'block-old.com\n', /^It is not newer/],
      ['no list', 'list-20260108.txt', '<!doctype html>\n<p>Not found\n', /2 of 2 lines/],
      ['empty', 'list-20260109.txt', '# nothing\n', /names nothing/],
      ['cut off', 'list-20260110.txt', 'block-kept.com\nblock-mo', /ends within a line/],
    ])('changes nothing if it is %s', async (_, name, content, problem) => {
      const source = await newSource('blocklist', { category: 'phishing' });
      await source.put('list-20260105.txt', 'block-kept.com\n');
      const { file } = await source.put(name, content);
      expect(file).toMatchObject({ state: 'failed' });
      expect(file?.problem).toMatch(problem);
      expect(await listed(source.name)).toEqual([on('block-kept.com')]);
      expect(await database.query('select from staged_listing')).toEqual([]);
    });

    it('changes nothing if it lacks more than a fifth of its previous names, because it seems truncated', async () => {
      const source = await newSource('blocklist', { category: 'phishing' });
      const hosts = (to: number) => `${labels('block-', 0, to).join('.net\n')}.net\n`;
      await source.put('list-20260105.txt', hosts(1_000));
      const { file } = await source.put('list-20260106.txt', `block-new.net\n${hosts(799)}`);
      expect(file).toMatchObject({ state: 'failed', newNames: 0, droppedNames: 0 });
      expect(file?.problem).toMatch(
        /^It lacks 201 of the 1000 listed names, .* source set .* --turnover 21$/,
      );
      const names = labels('block-', 0, 1_000).map((label) => on(`${label}.net`));
      expect(new Set(await listed(source.name))).toEqual(new Set(names));
      expect(await database.query('select from staged_listing')).toEqual([]);
      const { file: next } = await source.put('list-20260107.txt', hosts(800));
      expect(next).toMatchObject({ state: 'loaded', newNames: 0, droppedNames: 200 });
    });

    it('may lack as many names as its source allows, and may end without a newline', async () => {
      const source = await newSource('blocklist', { category: 'phishing' });
      const hosts = (to: number) => `${labels('turned-', 0, to).join('.net\n')}.net`;
      await source.put('list-20260105.txt', `${hosts(1_000)}\n`);
      const { file: refused } = await source.put('list-20260106.txt', hosts(500));
      expect(refused?.problem).toMatch(/^It ends within a line.* source set .* --open-ended yes$/);
      await corpus.sources.set(source.name, { isOpenEnded: true, turnoverMax: 0.5 });
      const { file } = await source.run();
      expect(file).toMatchObject({ state: 'loaded', droppedNames: 500 });
      const { file: next } = await source.put('list-20260107.txt', hosts(249));
      expect(next?.problem).toMatch(/--turnover 51$/);
    });

    it('needs a category', async () => {
      await expect(newSource('blocklist')).rejects.toMatchObject({ status: 400 });
    });
  });

  it('a removed source is neither shown nor run, and its files stay', async () => {
    const source = await newSource('names');
    await source.put('list.txt', 'removed-a.com\n');
    await corpus.sources.remove(source.name);
    expect((await corpus.sources.list()).map(({ name }) => name)).not.toContain(source.name);
    await expect(source.run()).rejects.toThrow();
    expect(await readFile(source.path('list.txt'), 'utf8')).toBe('removed-a.com\n');
  });
});
