import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { request } from 'undici';
import {
  type Dataset,
  type FilesAnswer,
  ServiceHttp,
  type WebhookSecretAnswer,
} from '#libs/contracts';
import { DAY_MS, newId } from '#libs/platform';
import { CorpusUnderTest } from '#test/corpus';
import { awayFromMidnight, makeOwnFolder, waitFor } from '#test/environment';
import { WebhookReceiver } from '../../../../test/worker/webhook-receiver.js';
import { WorkerUnderTest } from '../../../../test/worker/worker-under-test.js';
import { PlanFilesJob } from './plan-files.job.js';

await awayFromMidnight();

const SOLD = { name: 'zone' };
const HELD = { create_date: '', registrant_contact: { name: 'Ada Canary', country_code: 'GB' } };
const under = new WorkerUnderTest();
const receiver = new WebhookReceiver();
const owner = newId();
const other = newId();
let corpus: CorpusUnderTest;
let operator: ServiceHttp;

/** The corpus uses the machine's clock. */
const now = new Date();
const today = now.toISOString().slice(0, 10);
const ago = (days: number) => new Date(now.getTime() - days * DAY_MS).toISOString();

beforeAll(async () => {
  corpus = await CorpusUnderTest.start({
    suppressionsPath: join(makeOwnFolder('suppressed'), 'suppressions.list'),
  });
  for (const clock of [corpus.clock, under.clock]) clock.set(now);
  const listed = (name: string) => ({ kind: 'listed', name, at: ago(0.1) });
  const record = { ...HELD, create_date: ago(1).slice(0, 10) };
  await corpus.recordOf(SOLD, ...['first.com', 'second.com', 'third.com'].map(listed), {
    kind: 'whois',
    name: 'first.com',
    at: ago(0.05),
    record,
  });
  await corpus.record({ kind: 'whois', name: 'own-answer.com', at: ago(0.05), record });
  under.entitlement.datasets.set(owner, ['names', 'whois']);
  await under.start(undefined, { corpusUrl: corpus.url, ...(await receiver.start()) });
  const { url } = under.worker;
  const { tokens } = under;
  operator = new ServiceHttp({ url, caller: 'cli', audience: 'worker', tokens, timeoutMs: 60_000 });
});
afterAll(async () => {
  await operator?.close();
  await under.stop();
  await corpus?.stop();
  receiver.stop();
});

async function listen(accountId: string, host: string): Promise<void> {
  const body = { url: `https://${host}/in`, events: ['file.published'] };
  const path = '/internal/webhooks';
  await under.gateway.call<WebhookSecretAnswer>('POST', path, { accountId, body });
}

async function editionOf(dataset: Dataset, wanted: number): Promise<void> {
  await waitFor(`edition ${wanted} of ${dataset}`, async () => {
    const path = `/internal/files?dataset=${dataset}&date=${today}`;
    const { files } = await under.gateway.call<FilesAnswer>('GET', path, { accountId: owner });
    return files[0]?.edition === wanted;
  });
}

async function fetchFile(dataset: Dataset): Promise<{ status: number; bytes: Buffer }> {
  const token = under.tokens.issue('gateway', 'worker');
  const answer = await request(`${under.worker.url}/internal/files/${dataset}/${today}`, {
    headers: { authorization: `Bearer ${token}`, 'x-account-id': owner },
  });
  return { status: answer.statusCode, bytes: Buffer.from(await answer.body.arrayBuffer()) };
}

const linesOf = async (dataset: Dataset) =>
  gunzipSync((await fetchFile(dataset)).bytes)
    .toString()
    .trimEnd()
    .split('\r\n');

it('the downloaded files contain the data of the corpus from sources whose data may be sold', async () => {
  await listen(owner, 'owner.hooks.example');
  await listen(other, 'other.hooks.example');
  await operator.call('POST', '/internal/files/runs');
  await editionOf('newly', 1);
  await editionOf('newly_whois', 1);
  expect((await linesOf('newly')).toSorted()).toEqual(
    ['domain_name', 'first.com', 'second.com', 'third.com'].toSorted(),
  );
  const [, row, ...further] = await linesOf('newly_whois');
  expect(row).toContain('first.com');
  expect(row).toContain('Ada Canary');
  expect(further).toEqual([]);
});

it('webhooks of accounts that may download a file are notified once, and no others are', async () => {
  const told = () =>
    receiver
      .arrivedAt('owner.hooks.example')
      .map(({ body }) => JSON.parse(body) as { type: string; data: Record<string, unknown> })
      .filter(({ data }) => data.date === today);
  await waitFor('the news', () => told().length >= 6);
  expect(told().map(({ data }) => data.dataset)).toEqual(
    expect.arrayContaining(['newly', 'dropped', 'names', 'newly_whois', 'updated_whois', 'whois']),
  );
  expect(told()).toHaveLength(6);
  expect(told()[0]).toMatchObject({ type: 'file.published', data: { edition: 1 } });
  expect(receiver.arrivedAt('other.hooks.example')).toEqual([]);
});

it('S119: no log line, webhook event or edition’s row contains data from a file', async () => {
  const bodies = receiver.arrivedAt('owner.hooks.example').map(({ body }) => body);
  const rows = await under.database.query('select to_json(f)::text as row from file_editions f');
  const kept = [...bodies, ...under.logged, ...rows.map((row) => JSON.stringify(row))].join('\n');
  expect(rows.length).toBeGreaterThan(0);
  expect(kept).not.toMatch(/Ada Canary|first\.com|second\.com/);
});

it('no file that can be downloaded contains a suppressed name', async () => {
  // Otherwise, the job might rebuild the file without the name before the test requests it.
  await under.holdJob('plan-files');
  await corpus.operate.suppress({ kind: 'domain', value: 'first.com' });
  expect((await fetchFile('newly')).status).toBe(409);
  await under.worker.app.get(PlanFilesJob, { strict: false }).runOnce();
  await editionOf('newly', 2);
  await editionOf('newly_whois', 2);
  expect((await linesOf('newly')).toSorted()).toEqual(['domain_name', 'second.com', 'third.com']);
  expect(await linesOf('newly_whois')).toHaveLength(1);
});

it("suppressing a value that occurs in no row of a file leaves the file's edition unchanged", async () => {
  await corpus.operate.suppress({ kind: 'phone', value: '+44 20 7946 0000' });
  await corpus.operate.suppress({ kind: 'domain', value: 'nowhere.com' });
  expect((await fetchFile('newly')).status).toBe(409);
  await under.worker.app.get(PlanFilesJob, { strict: false }).runOnce();
  await waitFor('the file', async () => (await fetchFile('newly')).status === 200);
  await editionOf('newly', 2);
});
