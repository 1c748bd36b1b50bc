import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import { WebhookReceiver } from '../../../../test/worker/webhook-receiver.js';
import { WorkerUnderTest } from '../../../../test/worker/worker-under-test.js';
import type { FileEdition } from '../files/file-edition.js';
import { FileRowsService } from '../files/file-rows.service.js';
import { AnnounceFilesJob } from './announce-files.job.js';
import { AnnounceQueue } from './announce-queue.js';

/** The number of accounts per work item. There are enough accounts for two full work items and a third one. */
const PAGE = 30;
const ACCOUNTS = 2 * PAGE + 10;
const under = new WorkerUnderTest();
const receiver = new WebhookReceiver();
const accounts = Array.from({ length: ACCOUNTS }, newId);
const suspended = newId();

beforeAll(async () => {
  await under.start(undefined, await receiver.start());
  for (const accountId of [...accounts, suspended]) {
    under.entitlement.datasets.set(accountId, ['names']);
    const body = { url: 'https://many.hooks.example/in', events: ['file.published'] };
    await under.gateway.call('POST', '/internal/webhooks', { accountId, body });
  }
  await under.database.transaction((transaction) =>
    under.accounts.changeSuspension(transaction, suspended, true),
  );
});
afterAll(async () => {
  receiver.stop();
  await under.stop();
});

async function announce(): Promise<string> {
  const now = under.clock.now();
  const id = newId();
  const edition: FileEdition = {
    id,
    dataset: 'newly',
    day: '2026-11-22',
    edition: 1,
    builtAt: now,
    publishedAt: now,
    rows: 0,
    gained: null,
    lost: null,
    suppressionVersion: 0,
    schemaVersion: 1,
    folder: 'files/newly/2026-11-22/told/',
    artifacts: [],
    sample: null,
  };
  const files = under.worker.app.get(FileRowsService, { strict: false });
  const news = under.worker.app.get(AnnounceQueue, { strict: false });
  await under.database.transaction(async (transaction) => {
    await files.insert(transaction, edition);
    await news.add(transaction, { name: id, payload: { editionId: id } });
  });
  return id;
}

async function told(editionId: string): Promise<string[]> {
  const rows = await under.database.query<{ id: string }>(
    'select account_id as id from webhook_deliveries where event_id = $1 order by account_id',
    [editionId],
  );
  return rows.map(({ id }) => id);
}

const asked = () =>
  under.entitlement.calls.filter((call) => call.endsWith('/internal/allowance')).length;

/** Returns the work item whose attempt has failed. It is retried only when the test says so. */
async function failed() {
  return waitFor('a failed try', async () => {
    const [work] = await under.database.query<{ payload: object; tries: number }>(
      `update work set until = clock_timestamp() + interval '1 day'
       where queue = 'file-news' and state = 'waiting' returning payload, tries`,
    );
    return work;
  });
}

it('all accounts are notified, even if that takes several work items, and a failed item is retried alone', async () => {
  const last = accounts.at(-1)!;
  const pages = 2 * PAGE;
  // This answer cannot be read.
  under.entitlement.datasets.set(last, 7 as never);
  const editionId = await announce();
  const { payload, tries } = await failed();
  expect(await told(editionId)).toEqual(accounts.slice(0, -1));
  expect(payload).toEqual({ editionId, after: accounts[pages - 1] });
  expect(asked()).toBe(pages + tries * (ACCOUNTS - pages));
  under.entitlement.datasets.set(last, ['names']);
  await under.hurry(AnnounceFilesJob);
  await waitFor('the last one to be notified', async () => (await told(editionId)).includes(last));
  // The suspended account was neither notified nor looked up.
  expect(await told(editionId)).toEqual(accounts);
  expect(asked()).toBe(pages + (tries + 1) * (ACCOUNTS - pages));
});
