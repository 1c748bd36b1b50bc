import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { fromBuffer } from 'yauzl';
import type { Dataset } from '#libs/contracts';
import { DAY_MS, HOUR_MS, SECOND_MS, newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import {
  ALL_DATASETS,
  DAILY,
  FilesUnderTest,
  planned,
  problemOf,
} from '../../../../test/worker/files-under-test.js';
import { BuildQueue } from '../files/build-queue.js';
import { RemoveFilesJob } from '../results/remove-files.job.js';
import { BuildFilesJob } from './build-files.job.js';
import { ExpireFilesJob } from './expire-files.job.js';

const under = new FilesUnderTest();
const { corpus } = under;
const part = under.get.bind(under);
const count = under.count.bind(under);
const settled = under.settled.bind(under);
const make = under.make.bind(under);
const customer = under.customer.bind(under);
const fetchFile = under.fetchFile.bind(under);
const download = under.download.bind(under);
const entryOf = under.entryOf.bind(under);
const textOf = async (...asked: Parameters<FilesUnderTest['download']>) =>
  gunzipSync((await download(...asked)).bytes).toString();

beforeAll(() => under.start());
beforeEach(() => {
  corpus.rowsOf = planned;
});
afterAll(() => under.stop());

async function removeUnneeded(): Promise<void> {
  await under.database.query(
    `update work set until = clock_timestamp() where queue = 'unneeded-files'`,
  );
  await part(RemoveFilesJob).runOnce();
}

describe('a database file', () => {
  it('a file is built when its day is over, and is delivered with the size and hash in its row', async () => {
    const accountId = customer(['names']);
    const entry = await entryOf('newly', '2026-11-22');
    expect(entry).toMatchObject({ edition: 1, rows: 2, state: 'published', schema_version: 1 });
    const { status, bytes, headers } = await download(accountId, 'newly', '2026-11-22');
    expect(status).toBe(200);
    expect(gunzipSync(bytes).toString()).toBe('domain_name\r\nname-21.com\r\nname-22.com\r\n');
    const [csv] = entry.artifacts;
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(csv).toEqual({ format: 'csv.gz', bytes: bytes.length, sha256 });
    expect(headers.etag).toBe(`"${sha256}"`);
    expect(await textOf(accountId, 'newly', '2026-11-22', 'json.gz')).toBe(
      '{"domain_name":"name-21.com","domain_unicode":"name-21.com"}\n' +
        '{"domain_name":"name-22.com","domain_unicode":"name-22.com"}\n',
    );
  });

  it('a file is compared with the previous one: its added and removed rows are counted', async () => {
    expect(await entryOf('newly', '2026-11-20')).toMatchObject({ gained: null, lost: null });
    expect(await entryOf('newly', '2026-11-22')).toMatchObject({ gained: 1, lost: 1 });
  });

  it('a file is also offered as a zip with the same rows and a matching manifest', async () => {
    const accountId = customer(ALL_DATASETS);
    const { bytes } = await download(accountId, 'newly_whois', '2026-11-22', 'zip');
    const csv = await textOf(accountId, 'newly_whois', '2026-11-22');
    const entries = await entriesOf(bytes);
    const [name, rows] = entries[0];
    expect([name, rows.toString()]).toEqual(['newly-whois-2026-11-22.csv', csv]);
    const [, manifest] = entries[1];
    expect(JSON.parse(manifest.toString())).toMatchObject({
      dataset: 'newly_whois',
      date: '2026-11-22',
      edition: 1,
      rows: 2,
      schema_version: 1,
      files: [{ bytes: rows.length, sha256: createHash('sha256').update(rows).digest('hex') }],
    });
  });

  it('a file of WHOIS records has the 62 standard columns, and a DNS file has a column per type', async () => {
    const accountId = customer(ALL_DATASETS);
    const whois = (await textOf(accountId, 'newly_whois', '2026-11-22')).split('\r\n');
    expect(whois[0].split(',')).toHaveLength(62);
    expect(whois[1]).toContain('1,name-21.com,2026-11-22 08:00:00,2026-11-22,,,292,');
    expect(whois[1]).toContain('"Mark, ""the"" Monitor"');
    expect(await textOf(accountId, 'newly_dns', '2026-11-22')).toContain(
      'name-21.com,2026-11-22 08:00:00,192.0.2.1|192.0.2.2,,,,v=spf1 -all,,v=spf1 -all\r\n',
    );
  });

  it('S66, S74: records in a file are text, never a formula or a second cell', async () => {
    const csv = await textOf(customer(ALL_DATASETS), 'newly_whois', '2026-11-22');
    expect(csv).toContain(`"'=HYPERLINK(""https://evil.example"",""<script>x</script>"")"`);
    expect(csv).toContain(`"'+15550100"`);
    expect(csv).not.toMatch(/(^|,)"?[=+@-]/m);
  });

  it('a file is published once, however often its schedule is checked, and once more in the evening', async () => {
    const before = await count();
    await make();
    await make();
    expect(await count()).toBe(before);
    under.clock.set('2026-11-23T15:00:00Z');
    await Promise.all([make(), make()]);
    await settled(before + DAILY);
    expect(await entryOf('newly', '2026-11-22')).toMatchObject({ edition: 2 });
    expect(await entryOf('newly', '2026-11-21')).toMatchObject({ edition: 1 });
  });

  it('a file built by two workers is published once', async () => {
    const before = await count();
    const built = part(BuildFilesJob) as unknown as { publish(...given: unknown[]): unknown };
    const edition = await under.database.query(
      `select * from file_editions where dataset = 'newly' and day = '2026-11-22' and edition = 2`,
    );
    const row = edition[0] as Record<string, unknown>;
    const folder = `files/newly/2026-11-22/twice/`;
    const again = {
      id: newId(),
      dataset: 'newly',
      day: '2026-11-22',
      edition: 2,
      folder,
      artifacts: [],
      builtAt: new Date(),
      rows: 0,
      gained: 0,
      lost: 0,
      sample: null,
      suppressionVersion: 0,
      schemaVersion: 1,
    };
    await built.publish({ finish: async () => {} }, again);
    expect(await count()).toBe(before);
    expect((await entryOf('newly', '2026-11-22')).rows).toBe(Number(row.rows));
  });
});

async function entriesOf(bytes: Buffer): Promise<[string, Buffer][]> {
  const found: [string, Buffer][] = [];
  await new Promise<void>((resolve, reject) => {
    fromBuffer(bytes, { lazyEntries: true }, (error, zip) => {
      if (error) return reject(error);
      zip.on('end', resolve).on('error', reject);
      zip.on('entry', (entry: { fileName: string }) => {
        zip.openReadStream(entry as never, (fault, stream) => {
          if (fault) return reject(fault);
          void stream.toArray().then((pieces) => {
            found.push([entry.fileName, Buffer.concat(pieces as Buffer[])]);
            zip.readEntry();
          });
        });
      });
      zip.readEntry();
    });
  });
  return found;
}

describe('after a suppression of a name', () => {
  it('no file is delivered until it has been built without the suppressed data', async () => {
    const accountId = customer(['names']);
    corpus.suppress('name-21.com');
    corpus.rowsOf = (dataset, day) => (day ? planned(dataset, day).slice(1) : []);
    const refused = await download(accountId, 'newly', '2026-11-22');
    expect(problemOf(refused)).toMatchObject({ status: 409, code: 'file_withheld' });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await fetchFile(undefined, 'files/sample')).status).toBe(409);
    expect(await entryOf('newly', '2026-11-20')).toMatchObject({ state: 'withheld' });
    // The newest file of each dataset is rebuilt, and so are the files that were requested.
    await make();
    // A full file keeps its other rows, because the current data is that of another day.
    for (const dataset of ['newly', 'names'] as const) {
      const text = await textOf(accountId, dataset, '2026-11-22');
      expect(text).toBe('domain_name\r\nname-22.com\r\n');
    }
    expect((await fetchFile(undefined, 'files/sample')).status).toBe(200);
    expect(await entryOf('newly', '2026-11-20')).toMatchObject({ state: 'withheld' });
    expect(await entryOf('whois', '2026-11-22')).toMatchObject({ state: 'published', edition: 2 });
    await removeUnneeded();
    const { files } = await under.files.list('files/newly/2026-11-22/', { limit: 100 });
    expect(new Set(files.map(({ key }) => key.split('/')[3])).size).toBe(1);
  });
});

describe('after the suppression of a personal value', () => {
  it('files of names and of DNS data stay available; files with WHOIS records are withheld', async () => {
    const accountId = customer(ALL_DATASETS);
    corpus.suppress('name-22.com', 'person');
    const dns = await entryOf('dns', '2026-11-22');
    const whois = await entryOf('whois', '2026-11-22');
    expect([dns.state, whois.state]).toEqual(['published', 'withheld']);
    expect((await download(accountId, 'newly', '2026-11-22')).status).toBe(200);
    expect((await fetchFile(undefined, 'files/sample')).status).toBe(200);
    const withheld = await download(accountId, 'whois', '2026-11-22');
    expect(problemOf(withheld)).toMatchObject({ status: 409, code: 'file_withheld' });
    await make();
    const again = await entryOf('whois', '2026-11-22');
    expect(again).toMatchObject({ state: 'published', edition: whois.edition + 1 });
    expect(await entryOf('dns', '2026-11-22')).toEqual(dns);
  });

  it('files without the value are not rebuilt', async () => {
    const before = await entryOf('whois', '2026-11-22');
    const asked = corpus.asked.length;
    corpus.suppress('elsewhere.com');
    expect(await entryOf('whois', '2026-11-22')).toMatchObject({ state: 'withheld' });
    await make();
    expect(await entryOf('whois', '2026-11-22')).toEqual(before);
    expect(corpus.asked).toHaveLength(asked);
  });
});

describe('data suppressed during the build of a file', () => {
  it('suppressed data neither appears in the file nor delays it, however quickly suppressions follow one another', async () => {
    const accountId = customer(ALL_DATASETS);
    const textsOf = async (dataset: Dataset) =>
      Promise.all(
        ['csv.gz', 'json.gz'].map((form) => textOf(accountId, dataset, '2026-11-22', form)),
      );
    const datasets: Dataset[] = ['newly_whois', 'newly_dns'];
    const named = (dataset: Dataset, ...numbers: number[]) =>
      numbers.map((key) => ({ ...planned(dataset)[0], key, name: `name-${key}.com` }));
    corpus.suppress('name-22.com');
    corpus.rowsOf = (dataset) => named(dataset, 27, 28);
    await make();
    const before = await Promise.all(datasets.map(textsOf));
    const { edition } = await entryOf('newly_whois', '2026-11-22');
    corpus.suppress('name-28.com');
    corpus.rowsOf = (dataset) => {
      // The list of suppressions grows whenever a range is read.
      corpus.suppress(`elsewhere-${corpus.suppressed.version}.com`);
      corpus.suppress('name-29.com');
      return named(dataset, 27, 29);
    };
    await make();
    // This file was read before the others, and contains nothing that was suppressed after that.
    const asked = corpus.asked.length;
    await make();
    expect(corpus.asked).toHaveLength(asked);
    expect(await entryOf('newly_whois', '2026-11-22')).toMatchObject({
      edition: edition + 1,
      state: 'published',
      rows: 1,
      gained: 1,
      lost: 2,
    });
    const after = await Promise.all(datasets.map(textsOf));
    const kept = (text: string) => text.replaceAll(/^.*name-28\.com.*\r?\n/gm, '');
    expect(after).toEqual(before.map((texts) => texts.map(kept)));
    await removeUnneeded();
    const { files } = await under.files.list('files/newly_whois/2026-11-22/', { limit: 100 });
    expect(new Set(files.map(({ key }) => key.split('/')[3])).size).toBe(1);
  });
});

describe('a file whose build fails', () => {
  it('S84: a failed build leaves no files behind, and a later attempt builds the file', async () => {
    under.clock.set('2026-11-25T03:00:00Z');
    corpus.breaksOff = true;
    await make();
    const of24 = () => under.files.list('files/newly/2026-11-24/', { limit: 100 });
    await waitFor(
      'the rest of the attempt to be removed',
      async () => (await of24()).files.length === 0,
    );
    const [{ dead }] = await under.database.query<{ dead: number }>(
      `select count(*)::integer as dead from work where queue = 'file-builds' and state = 'dead'`,
    );
    expect(dead).toBe(0);
    corpus.breaksOff = false;
    await under.database.query(
      `update work set until = clock_timestamp() where queue = 'file-builds' and state = 'waiting'`,
    );
    await part(BuildFilesJob).runOnce();
    expect(await entryOf('newly', '2026-11-24')).toMatchObject({ edition: 1, rows: 2 });
  });
});

describe('a withheld file of an earlier day', () => {
  it('the file keeps its rows, except those with a suppressed value', async () => {
    const accountId = customer(['names']);
    corpus.rowsOf = () => [];
    corpus.suppress('name-19.com');
    expect((await download(accountId, 'newly', '2026-11-20')).status).toBe(409);
    await part(BuildFilesJob).runOnce();
    expect(await textOf(accountId, 'newly', '2026-11-20')).toBe('domain_name\r\nname-20.com\r\n');
  });
});

describe('a file older than 90 days', () => {
  it('a withheld file that expires before it is rebuilt is not built from later data', async () => {
    const accountId = customer(['names']);
    const queue = part(BuildQueue);
    await queue.pause(under.database, HOUR_MS / SECOND_MS);
    corpus.suppress('name-22.com');
    expect((await download(accountId, 'newly', '2026-11-22')).status).toBe(409);
    const made = await count();
    under.clock.set(new Date(Date.parse('2026-11-22T00:00:00Z') + 91 * DAY_MS));
    await part(ExpireFilesJob).runOnce();
    await queue.pause(under.database, 0);
    await part(BuildFilesJob).runOnce();
    expect(await count()).toBe(made);
  });

  it('the file is deleted with all of its bytes', async () => {
    const accountId = customer(['names']);
    under.clock.set(new Date(Date.parse('2026-11-22T00:00:00Z') + 91 * DAY_MS));
    await part(ExpireFilesJob).runOnce();
    const gone = await download(accountId, 'newly', '2026-11-22');
    expect(problemOf(gone)).toMatchObject({ status: 410, code: 'file_expired' });
    await removeUnneeded();
    const { files } = await under.files.list('files/newly/2026-11-22/', { limit: 100 });
    expect(files).toEqual([]);
  });
});
