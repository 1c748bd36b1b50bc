import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, expect, it } from '@jest/globals';
import { type FilesAnswer, type FilesStatus, type OrderAnswer } from '#libs/contracts';
import { withClient } from '#libs/database';
import { MINUTE_MS } from '#libs/platform';
import { makeOwnFolder, waitFor } from '#test/environment';
import { pressButton } from '../billing/hosted-page.js';
import { Customer } from './customer.js';
import type { Deployment } from './deployment.js';
import { connectTo } from './connections.js';

const ZONE = 'filestory';
const NAMES = Array.from({ length: 200 }, (_, n) => `story-${n}.${ZONE}`);
/** A time limit that allows for building files one after another on a busy machine. */
const WAIT_MS = 120_000;

export function databaseFiles(open: () => Deployment & { workerUrl: string }): void {
  let customer: Customer;

  beforeAll(async () => {
    customer = new Customer(open(), 'files@story.example');
    await customer.join();
  });

  // This uses the session, because a key can send only 60 requests a minute.
  const filesOf = async (dataset: string) => {
    const { status, body } = await customer.call('GET', `/api/files?dataset=${dataset}`);
    expect([status, body]).toMatchObject([200, { files: expect.anything() }]);
    return (body as FilesAnswer).files;
  };
  const fileOf = async (dataset: string, format = 'csv.gz', key?: string) => {
    await waitFor('a file', async () => (await filesOf(dataset)).length > 0, WAIT_MS);
    const [{ date }] = await filesOf(dataset);
    return customer.api('GET', `/v2.0/files/${dataset}/${date}?format=${format}`, undefined, key);
  };

  it('names from a source whose data may be sold are in the next file, which is listed publicly', async () => {
    const place = join(makeOwnFolder('file-story'), ZONE);
    mkdirSync(place);
    const soa = `${ZONE}.\t900\tin\tsoa\tns1.nic.${ZONE}. host.${ZONE}. 1 1800 900 604800 86400`;
    const lines = NAMES.map((name) => `${name}.\t3600\tin\tns\tns1.example.net.`);
    writeFileSync(join(place, `${ZONE}-20260105.zone`), `${[soa, ...lines].join('\n')}\n`);
    const sql = (text: string, values: unknown[]) =>
      withClient(open().superuserUrl, async (client) => (await client.query(text, values)).rows);
    await sql(
      `insert into corpus.source (id, name, kind, is_shown, is_sold, is_looked_up, created_at, location, due_at)
       select coalesce(max(id), 0) + 1, $1, 'zone', true, true, false, now(), $2, '2000-01-01' from corpus.source`,
      [ZONE, place],
    );
    await waitFor(
      'the import',
      async () => {
        const [{ names }] = await sql(
          'select count(*)::int as names from corpus.domain where name like $1',
          [`%.${ZONE}`],
        );
        return names === NAMES.length;
      },
      WAIT_MS,
    );
    const { workerUrl: url, serviceSecret: secret, clock } = open();
    // A file that was built just before would not be built again.
    clock.advance(MINUTE_MS);
    const operator = connectTo('worker', { url, secret, clock });
    const since = (await filesOf('names')).at(0)?.edition ?? 0;
    await operator.call('POST', '/internal/files/runs').finally(() => operator.close());
    await waitFor(
      'the file',
      async () => {
        const [file] = await filesOf('names');
        return file?.state === 'published' && file.edition > since;
      },
      WAIT_MS,
    );
    const status = (
      await customer.api('GET', '/v2.0/files/status', undefined, '')
    ).json() as FilesStatus;
    const latest = status.datasets.find(({ dataset }) => dataset === 'names')?.latest;
    expect(latest?.rows).toBeGreaterThanOrEqual(NAMES.length);
  });

  it('without a plan that includes it, no key can download a file, and the refusal names such plans', async () => {
    const refused = await fileOf('names');
    const code = 'dataset_not_included';
    expect([refused.status, refused.json()]).toMatchObject([403, { code }]);
    expect(refused.json().plans.length).toBeGreaterThan(0);
    const tested = await fileOf('names', 'csv.gz', customer.testKey);
    expect([tested.status, tested.json().code]).toEqual([403, 'test_key_not_allowed']);
  });

  it('S77: once a Domainer plan is paid, its files can be downloaded in three formats, and no other files', async () => {
    const wish = { product: 'subscription', sku: 'domainer-names-month', processor: 'stripe' };
    const key = { 'idempotency-key': 'file-story' };
    const { status, body } = await customer.call('POST', '/api/orders', wish, key);
    expect(status).toBe(201);
    await pressButton((body as OrderAnswer).redirect_url as string, 'pay');
    await waitFor('the plan', async () => (await filesOf('names'))[0].is_included, WAIT_MS);
    const csv = await fileOf('names');
    expect(csv.status).toBe(200);
    const [{ artifacts }] = await filesOf('names');
    for (const { format, bytes, sha256 } of artifacts) {
      const file = format === 'csv.gz' ? csv : await fileOf('names', format);
      const found = createHash('sha256').update(file.bytes).digest('hex');
      expect([format, file.bytes.length, found]).toEqual([format, bytes, sha256]);
    }
    const rows = gunzipSync(csv.bytes).toString().trimEnd().split('\r\n').slice(1);
    const ours = rows.filter((name) => name.endsWith(`.${ZONE}`)).toSorted();
    expect(ours).toEqual(NAMES.toSorted());
    expect((await fileOf('whois')).status).toBe(403);
  });
}
