import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { fromBuffer } from 'yauzl';
import type { Dataset, FileEntry, FilesAnswer, FilesStatus } from '#libs/contracts';
import { DAY_MS, HOUR_MS, newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import { CorpusStandIn, type PlannedRow } from '../../../../test/worker/corpus-stand-in.js';
import { WorkerUnderTest } from '../../../../test/worker/worker-under-test.js';
import { BuildFilesJob } from '../file-building/build-files.job.js';
import { ExpireFilesJob } from '../file-building/expire-files.job.js';
import { PlanFilesJob } from '../file-building/plan-files.job.js';
import { RemoveFilesJob } from '../results/remove-files.job.js';

const DAILY = 8;
const ALL = ['names', 'whois', 'cleaned-whois', 'dns'];
const HOSTILE = '=HYPERLINK("https://evil.example","<script>x</script>")';
const under = new WorkerUnderTest();
const corpus = new CorpusStandIn();

/** Names of a day: each is new on two days, so that files have some in common. */
function planned(dataset: Dataset, day = '2026-11-22'): PlannedRow[] {
  const date = Number(day.slice(8));
  return [date - 1, date].map((number) => ({
    key: number,
    name: `name-${number}.com`,
    ...(dataset.includes('whois') && {
      record: {
        create_date: day,
        domain_registrar: { iana_id: '292', registrar_name: 'Mark, "the" Monitor' },
        registrant_contact: { name: HOSTILE, phone: '+15550100', email_address: 'a@b.example' },
        name_servers: ['ns1.example', 'ns2.example'],
      },
    }),
    ...(dataset.endsWith('dns') && {
      records: [
        { type: 'A', value: '192.0.2.1', firstSeen: '2026-11-22T08:00:00.000Z' },
        { type: 'A', value: '192.0.2.2', firstSeen: '2026-11-22T08:00:00.000Z' },
        { type: 'TXT', value: 'v=spf1 -all', firstSeen: '2026-11-22T08:00:00.000Z' },
      ],
    }),
  }));
}

beforeAll(async () => {
  corpus.rowsOf = planned;
  await corpus.start();
  await under.start(undefined, { corpusUrl: corpus.url });
  await settled(3 * DAILY + 4);
  await under.holdJob('plan-files');
});
beforeEach(() => {
  corpus.rowsOf = planned;
});
afterAll(async () => {
  await under.stop();
  await corpus.stop();
});

const part = <Part>(type: new (...parts: never[]) => Part): Part =>
  under.worker.app.get(type, { strict: false });

async function count(): Promise<number> {
  const [{ files }] = await under.database.query<{ files: number }>(
    'select count(*)::integer as files from file_editions',
  );
  return files;
}

/** Waits until so many editions were made, and nothing is left to be made. */
async function settled(editions: number): Promise<void> {
  await waitFor(`${editions} editions`, async () => (await count()) >= editions);
  await waitFor('the end of the builds', async () => {
    const left = await under.database.query(`select from work where queue = 'file-builds'`);
    return left.length === 0;
  });
  expect(await count()).toBe(editions);
}

/** Makes what is due now. */
async function make(): Promise<void> {
  await part(PlanFilesJob).runOnce();
  await part(BuildFilesJob).runOnce();
}

/** As if the hour were over in which downloads that have begun still find what was replaced. */
async function removeUnneeded(): Promise<void> {
  await under.database.query(
    `update work set until = clock_timestamp() where queue = 'unneeded-files'`,
  );
  await part(RemoveFilesJob).runOnce();
}

function customer(datasets: string[]): string {
  const accountId = newId();
  under.entitlement.datasets.set(accountId, datasets);
  return accountId;
}

async function fetchFile(
  accountId: string | undefined,
  path: string,
  { method = 'GET', headers = {} }: { method?: 'GET' | 'HEAD'; headers?: object } = {},
) {
  const token = under.tokens.issue('gateway', 'worker');
  const account = accountId && { 'x-account-id': accountId };
  const answer = await request(`${under.worker.url}/internal/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...account, ...headers },
  });
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  return { status: answer.statusCode, headers: answer.headers, bytes };
}

const download = (accountId: string, dataset: Dataset, day: string, format = 'csv.gz') =>
  fetchFile(accountId, `files/${dataset}/${day}?format=${format}`);
const textOf = async (...asked: Parameters<typeof download>) =>
  gunzipSync((await download(...asked)).bytes).toString();
const list = async (accountId: string, query = '') =>
  under.gateway.call<FilesAnswer>('GET', `/internal/files${query}`, { accountId });
const entryOf = async (dataset: Dataset, day: string): Promise<FileEntry> => {
  const { files } = await list(customer(ALL), `?dataset=${dataset}&date=${day}`);
  expect(files).toHaveLength(1);
  return files[0];
};
const problemOf = ({ bytes }: { bytes: Buffer }) =>
  JSON.parse(bytes.toString()) as Record<string, unknown>;

describe('a database file', () => {
  it('is made when its day is over, and handed out as its row says', async () => {
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

  it('is counted against the one before: what it gained, and what it lost', async () => {
    expect(await entryOf('newly', '2026-11-20')).toMatchObject({ gained: null, lost: null });
    expect(await entryOf('newly', '2026-11-22')).toMatchObject({ gained: 1, lost: 1 });
  });

  it('has a zip with the same rows and a manifest that says so', async () => {
    const accountId = customer(ALL);
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

  it('of records has the 62 columns of the market, of DNS one for each type', async () => {
    const accountId = customer(ALL);
    const whois = (await textOf(accountId, 'newly_whois', '2026-11-22')).split('\r\n');
    expect(whois[0].split(',')).toHaveLength(62);
    expect(whois[1]).toContain('1,name-21.com,2026-11-22 08:00:00,2026-11-22,,,292,');
    expect(whois[1]).toContain('"Mark, ""the"" Monitor"');
    expect(await textOf(accountId, 'newly_dns', '2026-11-22')).toContain(
      'name-21.com,2026-11-22 08:00:00,192.0.2.1|192.0.2.2,,,,v=spf1 -all,,v=spf1 -all\r\n',
    );
  });

  it('S66, S74: what stands in a record is text: no formula, no second cell', async () => {
    const csv = await textOf(customer(ALL), 'newly_whois', '2026-11-22');
    expect(csv).toContain(`"'=HYPERLINK(""https://evil.example"",""<script>x</script>"")"`);
    expect(csv).toContain(`"'+15550100"`);
    expect(csv).not.toMatch(/(^|,)"?[=+@-]/m);
  });

  it('is published once, however often its time is looked at, and once more in the evening', async () => {
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

  it('that two made is published once, and the other’s bytes go', async () => {
    const before = await count();
    under.clock.set('2026-11-24T03:00:00Z');
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

describe('access to a file', () => {
  it('S77: whose plan opens it now; each plan its files and no others', async () => {
    const accountId = customer(['names', 'dns']);
    const allowed = await list(accountId, '?page_size=100');
    const included = allowed.files.filter((file) => file.is_included).map((file) => file.dataset);
    expect([...new Set(included)].toSorted()).toEqual(
      ['dns', 'dropped', 'names', 'newly', 'newly_dns', 'updated_dns'].toSorted(),
    );
    expect((await download(accountId, 'newly_dns', '2026-11-22')).status).toBe(200);
    const refused = await download(accountId, 'newly_whois', '2026-11-22');
    expect(refused.status).toBe(403);
    expect(problemOf(refused)).toMatchObject({
      code: 'dataset_not_included',
      plan_dataset: 'whois',
      plans: ['Domainer WHOIS', 'Domainer All'],
    });
    under.entitlement.datasets.set(accountId, []);
    expect((await download(accountId, 'newly_dns', '2026-11-22')).status).toBe(403);
  });

  it('S77: nobody whose downloads are blocked, whatever the plan', async () => {
    const accountId = customer(ALL);
    const from = new Date(under.clock.now().getTime() - HOUR_MS).toISOString();
    under.entitlement.blocks.set(accountId, [{ cause: 'fraud', blocks: ['downloads'], from }]);
    const refused = await download(accountId, 'newly', '2026-11-22');
    expect(problemOf(refused)).toMatchObject({ status: 403, code: 'downloads_blocked' });
  });

  it('S78: HEAD and ranges ask the same, and a range is the bytes of the whole', async () => {
    const [owner, other] = [customer(['names']), customer([])];
    const path = 'files/newly/2026-11-22';
    const head = { method: 'HEAD' } as const;
    const range = { headers: { range: 'bytes=2-9' } };
    expect((await fetchFile(other, path, head)).status).toBe(403);
    expect((await fetchFile(other, path, range)).status).toBe(403);
    const whole = await fetchFile(owner, path);
    const headers = await fetchFile(owner, path, head);
    expect([headers.status, headers.bytes.length]).toEqual([200, 0]);
    expect(headers.headers['content-length']).toBe(String(whole.bytes.length));
    const some = await fetchFile(owner, path, range);
    expect([some.status, some.bytes]).toEqual([206, whole.bytes.subarray(2, 10)]);
  });

  it('S75, S79: it is saved under its own name and never shown, and stored under a name of ours', async () => {
    const { headers } = await download(customer(['names']), 'newly', '2026-11-22', 'zip');
    expect(headers['content-type']).toBe('application/zip');
    expect(headers['content-disposition']).toContain('attachment; filename="newly-2026-11-22.zip"');
    const { files } = await under.files.list('files/newly/2026-11-22/', { limit: 100 });
    for (const { key } of files) {
      expect(key).toMatch(/^files\/newly\/2026-11-22\/[0-9a-f-]{36}\/(rows|sample|keys)\./);
    }
  });

  it('a file that is not there is 404, one whose days are over 410', async () => {
    const accountId = customer(['names']);
    expect((await download(accountId, 'newly', '2026-11-27')).status).toBe(404);
    const gone = await download(accountId, 'newly', '2026-01-01');
    expect(problemOf(gone)).toMatchObject({ status: 410, code: 'file_expired' });
  });
});

describe('everybody', () => {
  it('sees how fresh each dataset is, and has a sample that is one day late', async () => {
    const status = await under.gateway.call<FilesStatus>('GET', '/internal/files/status');
    expect(status.datasets).toHaveLength(12);
    const newly = status.datasets.find(({ dataset }) => dataset === 'newly');
    expect(newly).toMatchObject({ cadence: 'daily', latest: { date: '2026-11-22' } });
    under.clock.set('2026-11-24T02:00:00Z');
    const { status: code, bytes } = await fetchFile(undefined, 'files/sample');
    expect(code).toBe(200);
    expect(gunzipSync(bytes).toString()).toBe('domain_name\r\nname-21.com\r\nname-22.com\r\n');
    under.clock.set('2026-11-23T16:00:00Z');
    const late = await fetchFile(undefined, 'files/sample');
    expect(gunzipSync(late.bytes).toString()).toBe('domain_name\r\nname-20.com\r\nname-21.com\r\n');
  });
});

describe('after something was suppressed', () => {
  it('no file is handed out before it is made without it', async () => {
    const accountId = customer(['names']);
    corpus.suppressed = { version: 1, domains: 1 };
    corpus.rowsOf = (dataset, day) => planned(dataset, day).slice(1);
    const refused = await download(accountId, 'newly', '2026-11-22');
    expect(problemOf(refused)).toMatchObject({ status: 409, code: 'file_withheld' });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await fetchFile(undefined, 'files/sample')).status).toBe(409);
    expect(await entryOf('newly', '2026-11-20')).toMatchObject({ state: 'withheld' });
    // The newest of each dataset, and those that were asked for.
    await make();
    expect(await textOf(accountId, 'newly', '2026-11-22')).toBe('domain_name\r\nname-22.com\r\n');
    expect((await fetchFile(undefined, 'files/sample')).status).toBe(200);
    expect(await entryOf('newly', '2026-11-20')).toMatchObject({ state: 'withheld' });
    expect(await entryOf('whois', '2026-11-22')).toMatchObject({ state: 'published', edition: 2 });
    await removeUnneeded();
    const { files } = await under.files.list('files/newly/2026-11-22/', { limit: 100 });
    expect(new Set(files.map(({ key }) => key.split('/')[3])).size).toBe(1);
  });
});

describe('after something of a person was suppressed', () => {
  it('files of names and of the DNS are handed out as before; those with records wait', async () => {
    const accountId = customer(ALL);
    corpus.suppressed = { version: 2, domains: 1 };
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

  it('a file that may hold it is begun anew while it is made, and the first one is never seen', async () => {
    const { files: before } = await list(customer(ALL), '?date=2026-11-22');
    const overtaken: Dataset[] = [];
    corpus.suppressed = { version: 3, domains: 1 };
    corpus.rowsOf = (dataset, day) => {
      // The rows of this question are those of before.
      corpus.suppressed = { version: 4, domains: 1 };
      corpus.rowsOf = planned;
      overtaken.push(dataset);
      return planned(dataset, day);
    };
    await make();
    const [dataset] = overtaken;
    const { edition } = before.find((file) => file.dataset === dataset)!;
    expect(await entryOf(dataset, '2026-11-22')).toMatchObject({ edition, state: 'withheld' });
    const waiting = await under.database.query(
      `update work set until = clock_timestamp() where queue = 'file-builds' and state = 'waiting'
       returning name`,
    );
    expect(waiting).toEqual([{ name: `${dataset} 2026-11-22 ${edition + 1}` }]);
    await part(BuildFilesJob).runOnce();
    const next = { edition: edition + 1, state: 'published' };
    expect(await entryOf(dataset, '2026-11-22')).toMatchObject(next);
  });
});

describe('a file that cannot be made', () => {
  it('S84: leaves nothing behind, and is made by a later try', async () => {
    under.clock.set('2026-11-25T03:00:00Z');
    corpus.breaksOff = true;
    await make();
    const of24 = () => under.files.list('files/newly/2026-11-24/', { limit: 100 });
    await waitFor('the rest of the try to go', async () => (await of24()).files.length === 0);
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

describe('after 90 days', () => {
  it('a file is gone, with all of its bytes', async () => {
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
