import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { DAY_MS, HOUR_MS, Metrics } from '#libs/platform';
import { waitFor } from '#test/environment';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { SyncObjectsJob } from './sync-objects.job.js';
import { addSyncMetrics } from './sync-metrics.js';
import { SyncService } from './sync.service.js';
import { WantedObjects } from './wanted-objects.js';

const COUNT = 40;
/**
 * The number of concurrent calls that is enough for 28 renewals a second, with two calls each and a quarter of a second
 * per call.
 */
const CALLS_WANTED = 14;
const CALLS_MAX = 16;

let billing: BillingUnderTest;
let stripe: Server;
/** The objects of this test. Requests for those of earlier tests are answered at once and occupy no slot. */
const held = new Set<string>();
/** The requests for held objects, which the processor answers only when the test says so. */
const waiting: { id: string; answer: () => void }[] = [];

beforeAll(async () => {
  stripe = createServer((request, response) => {
    const id = request.url?.split('/').at(-1)?.split('?')[0] ?? '';
    const answer = () => response.writeHead(404).end('{"error":{"type":"none"}}');
    if (held.has(id)) waiting.push({ id, answer });
    else answer();
  });
  await new Promise<void>((resolve) => {
    stripe.listen(0, '127.0.0.1', resolve);
  });
  const stripeApiUrl = `http://127.0.0.1:${(stripe.address() as AddressInfo).port}`;
  billing = await BillingUnderTest.start({ stripeApiUrl });
});
afterEach(() => {
  held.clear();
  answerAll();
  expect(billing.logLines.splice(0)).toEqual([]);
});
afterAll(async () => {
  stripe.closeAllConnections();
  stripe.close();
  await billing.stop();
});

const want = (prefix: string, count: number) =>
  billing.database.transaction(async (transaction) => {
    const ids = Array.from({ length: count }, (_, n) => `${prefix}${n + 1}`);
    for (const id of ids) {
      held.add(id);
      await billing
        .get(SyncService)
        .want(transaction, { processor: 'stripe', kind: 'dispute', id });
    }
  });
const answerAll = () => {
  for (const { answer } of waiting.splice(0)) answer();
};

it('a slow processor gets many fetches at once, but never more than the limit', async () => {
  await want('many', COUNT);
  const run = billing.get(SyncObjectsJob).runOnce();
  let answered = 0;
  await waitFor('calls at once', () => waiting.length >= CALLS_WANTED);
  while (answered < COUNT) {
    expect(waiting.length).toBeLessThanOrEqual(CALLS_MAX);
    answered += waiting.length;
    answerAll();
    await waitFor('the next calls', () => waiting.length > 0 || answered >= COUNT);
  }
  await run;
});

it('a fetch without an answer does not delay others', async () => {
  const job = billing.get(SyncObjectsJob);
  await want('slow', 1);
  const running = job.runOnce();
  await waitFor('the slow one', () => waiting.some(({ id }) => id === 'slow1'));
  await want('later', 1);
  await waitFor('the later one', () => waiting.some(({ id }) => id === 'later1'));
  answerAll();
  await running;
});

it('the metrics count a fetch that waits for the start of a period only from that time on', async () => {
  const metrics = new Metrics({ process: false });
  addSyncMetrics(metrics, billing.database);
  const due = async () => (await metrics.text()).match(/sync_objects\{.*paypal.*due"\} (\d)/)?.[1];
  const later = new Date(billing.clock.now().getTime() + HOUR_MS);
  const ref = { processor: 'paypal', kind: 'subscription', id: 'I-LATER' } as const;
  await billing.database.transaction((transaction) =>
    billing.get(WantedObjects).wantObjectAt(transaction, ref, later),
  );
  expect(await due()).toBe('0');
  await billing.database.query(
    `update work set until = clock_timestamp() where payload ->> 'id' = $1`,
    [ref.id],
  );
  expect(await due()).toBe('1');
  await billing.database.query(`delete from work where payload ->> 'id' = $1`, [ref.id]);
});

it('a fetch that is claimed weeks before its time is postponed instead, without a call', async () => {
  const job = billing.get(SyncObjectsJob);
  const ref = { processor: 'stripe', kind: 'dispute', id: 'early1' } as const;
  const at = new Date(billing.clock.now().getTime() + 30 * DAY_MS);
  const makeDue = 'update work set until = clock_timestamp() where payload = $1';
  await billing.database.transaction((transaction) =>
    billing.get(WantedObjects).wantObjectAt(transaction, ref, at),
  );
  await billing.database.query(makeDue, [ref]);
  await job.runOnce();
  const postponed = await billing.database.query(
    `select tries, extract(epoch from until - clock_timestamp())::float8 / 3600 as hours
     from work where payload = $1`,
    [ref],
  );
  expect(postponed).toEqual([{ tries: 0, hours: expect.closeTo(7 * 24, 1) }]);
  billing.clock.set(at);
  await billing.database.query(makeDue, [ref]);
  held.add(ref.id);
  const running = job.runOnce();
  await waitFor('the fetch', () => waiting.some(({ id }) => id === ref.id));
  answerAll();
  await running;
});

it('S49: an object that is requested again during a failing fetch is fetched at once, however long a retry would wait', async () => {
  const job = billing.get(SyncObjectsJob);
  await want('failing', 1);
  await billing.database.query(`update work set tries = 5 where payload ->> 'id' = 'failing1'`);
  const running = job.runOnce();
  await waitFor('the first fetch', () => waiting.some(({ id }) => id === 'failing1'));
  await want('failing', 1);
  answerAll();
  await waitFor('the second fetch', () => waiting.some(({ id }) => id === 'failing1'));
  answerAll();
  await running;
});
