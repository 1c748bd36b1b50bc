import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FilesStatus } from '#libs/contracts';
import { HOUR_MS } from '#libs/platform';
import {
  ALL_DATASETS,
  FilesUnderTest,
  problemOf,
} from '../../../../test/worker/files-under-test.js';

const under = new FilesUnderTest();
const customer = under.customer.bind(under);
const fetchFile = under.fetchFile.bind(under);
const download = under.download.bind(under);
const list = under.list.bind(under);

beforeAll(() => under.start());
afterAll(() => under.stop());

describe('access to a file', () => {
  it('S77: a file requires a plan that covers the file now, and each plan covers only its own files', async () => {
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

  it('S77: an account whose downloads are blocked gets no file, whatever its plan', async () => {
    const accountId = customer(ALL_DATASETS);
    const from = new Date(under.clock.now().getTime() - HOUR_MS).toISOString();
    under.entitlement.blocks.set(accountId, [{ cause: 'fraud', blocks: ['downloads'], from }]);
    const refused = await download(accountId, 'newly', '2026-11-22');
    expect(problemOf(refused)).toMatchObject({ status: 403, code: 'downloads_blocked' });
  });

  it('S78: HEAD and range requests are checked in the same way, and a range returns the same bytes', async () => {
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

  it('S75, S79: a download is stored under a generated name, saved under its own name, and never displayed', async () => {
    const { headers } = await download(customer(['names']), 'newly', '2026-11-22', 'zip');
    expect(headers['content-type']).toBe('application/zip');
    expect(headers['content-disposition']).toContain('attachment; filename="newly-2026-11-22.zip"');
    const { files } = await under.files.list('files/newly/2026-11-22/', { limit: 100 });
    for (const { key } of files) {
      expect(key).toMatch(/^files\/newly\/2026-11-22\/[0-9a-f-]{36}\/(rows|sample|keys|hashes)\./);
    }
  });

  it('a missing file gets 404, and an expired file 410', async () => {
    const accountId = customer(['names']);
    expect((await download(accountId, 'newly', '2026-11-27')).status).toBe(404);
    const gone = await download(accountId, 'newly', '2026-01-01');
    expect(problemOf(gone)).toMatchObject({ status: 410, code: 'file_expired' });
  });
});

describe('public data about files', () => {
  it('the status names the newest file of each dataset and offers a sample that is two days old', async () => {
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
