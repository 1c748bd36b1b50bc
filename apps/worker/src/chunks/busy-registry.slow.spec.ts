import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import { QuestionsStandIn } from '../../../../test/worker/questions-stand-in.js';
import { WorkerUnderTest } from '../../../../test/worker/worker-under-test.js';

const CHUNKS = 11;
const NAMES = CHUNKS * 1_000;
const LATER = {
  outcome: 'throttled',
  laterSeconds: 1,
  problem: { code: 'upstream_throttled', detail: 'Later.' },
} as const;

const under = new WorkerUnderTest();
const lookup = new QuestionsStandIn();

beforeAll(async () => {
  await lookup.start();
  await under.start(lookup.url);
});
afterAll(async () => {
  await under.stop();
  await lookup.stop();
});

it('the chunks of a job take the turns of a busy registry two chunks at a time, so that each chunk gets many, and a small job does not wait for them', async () => {
  const accountId = newId();
  under.entitlement.balances.set(accountId, NAMES + 1);
  const names = Array.from({ length: NAMES }, (_, n) => `busy-${n}.com`);
  const { id: upload_id } = await under.upload(accountId, names.join('\n'));
  await under.endOfUpload(accountId, upload_id);
  lookup.hold();
  lookup.found = (name) => (name.endsWith('0.com') ? {} : LATER);
  const { id } = await under.createJob(accountId, 'whois', { upload_id });
  // Before its first refusal, nothing is known about the registry.
  await waitFor('all chunks', () => lookup.calls.length === CHUNKS);
  lookup.letAllGo();
  lookup.hold();
  await waitFor('the others to wait for the first two', async () => {
    const [{ count }] = await under.database.query<{ count: number }>(
      `select count(*)::int as count from work where queue = 'chunks' and state = 'waiting'
         and until > clock_timestamp() + interval '4 s'`,
    );
    return count === CHUNKS - 2;
  });
  expect(lookup.calls).toHaveLength(CHUNKS + 2);
  await under.createJob(accountId, 'whois', { domainNames: ['few.com'] });
  await waitFor('the small job', () => lookup.calls.some(({ names }) => names.includes('few.com')));
  expect(lookup.calls).toHaveLength(CHUNKS + 3);
  await under.gateway.call('POST', `/internal/jobs/${id}/cancel`, { accountId });
  lookup.letAllGo();
  const { counts } = await under.endOfJob(accountId, id);
  expect(counts.delivered).toBeGreaterThanOrEqual(NAMES / 10);
});
