import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { JobAnswer } from '#libs/contracts';
import { HOUR_MS, newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import { QuestionsStandIn } from '../../../../test/worker/questions-stand-in.js';
import { WorkerUnderTest } from '../../../../test/worker/worker-under-test.js';
import { JobQueues } from '../jobs/job-queues.js';
import { FailJobsJob } from './fail-jobs.job.js';

const PAUSE_SECONDS = 600;
const under = new WorkerUnderTest();
const lookup = new QuestionsStandIn();

beforeAll(async () => {
  await lookup.start();
  await under.start(lookup.url);
  await under.holdJob('fail-jobs');
});
afterAll(async () => {
  await under.stop();
  await lookup.stop();
});

type Step = 'starts' | 'chunks' | 'ends';

async function pause(step: Step, seconds = PAUSE_SECONDS): Promise<void> {
  await under.get(JobQueues)[step].pause(under.database, seconds);
}

async function get(accountId: string, id: string | null): Promise<JobAnswer> {
  return under.gateway.call('GET', `/internal/jobs/${id}`, { accountId });
}

/**
 * Starts a job that stops at a step, and discards one item of its work there, as an operator would; the work of its end
 * only once its chunks are charged, because a job with other work is not stuck.
 */
async function discardAt(step: Step, queue: string): Promise<{ accountId: string; id: string }> {
  const accountId = newId();
  await pause(step);
  const body = { domainNames: ['first.com', 'second.de'] };
  const { id } = await under.createJob(accountId, 'whois', body);
  await waitFor('the work', async () => {
    const gone = await under.database.query(
      `delete from work where id in (select id from work w
         where queue = $1 and account_id = $2
           and (queue = 'chunks' or not exists (
             select from work c where c.queue = 'chunks' and c.account_id = w.account_id))
         order by position limit 1) returning id`,
      [queue, accountId],
    );
    return gone.length === 1;
  });
  return { accountId, id: id! };
}

async function endStuck(): Promise<void> {
  under.clock.advance(HOUR_MS + 1);
  await under.get(FailJobsJob).runOnce();
}

async function mailTo(accountId: string) {
  return waitFor('the e-mail', async () =>
    (await under.mailbox.newest(50)).find(({ to }) => to === `${accountId}@payer.example`),
  );
}

describe('a job whose work an operator has discarded', () => {
  it.each([
    ['start', 'starts', 'job-starts', { charged: 0, released: 2 }],
    ['end', 'ends', 'job-ends', { charged: 2, released: 0 }],
  ] as const)(
    'fails without results if it was the work of its %s: answers stay charged, and nothing stays reserved',
    async (_, step, queue, credits) => {
      const { accountId, id } = await discardAt(step, queue);
      await under.get(FailJobsJob).runOnce();
      expect((await get(accountId, id)).finished_at).toBeNull();
      await endStuck();
      expect(await get(accountId, id)).toMatchObject({ state: 'failed', credits, artifacts: [] });
      expect(under.entitlement.openHolds(accountId)).toBe(0);
      const { subject, text } = await mailTo(accountId);
      expect(subject).toBe('Your bulk WHOIS job has failed');
      expect(text).toContain('could not be completed, so there are no results');
      await pause(step, 0);
    },
  );

  it('ends with the answers that it has if it was the work of some of its names', async () => {
    const { accountId, id } = await discardAt('chunks', 'chunks');
    await pause('chunks', 0);
    await waitFor('the other name', async () => (await get(accountId, id)).counts.delivered === 1);
    await waitFor('the end of its work', async () => {
      await endStuck();
      return (await get(accountId, id)).state !== 'running';
    });
    const job = await under.endOfJob(accountId, id);
    expect(job).toMatchObject({ state: 'completed_with_errors', credits: { released: 1 } });
    expect(await under.rowsOf(job)).toHaveLength(1);
  });

  it('a job whose work only waits is left alone', async () => {
    const accountId = newId();
    await pause('ends');
    const { id } = await under.createJob(accountId, 'whois', { domainNames: ['waiting.com'] });
    await waitFor('its end', async () => (await get(accountId, id)).state === 'finalizing');
    await endStuck();
    expect((await get(accountId, id)).state).toBe('finalizing');
    await pause('ends', 0);
    expect((await under.endOfJob(accountId, id)).state).toBe('completed');
  });
});

it('while the file store is down, a job whose names are answered reserves no credits any more', async () => {
  const accountId = newId();
  const joined = jest.spyOn(under.files, 'concatenate').mockRejectedValue(new Error('it is down'));
  lookup.found = (name) => (name === 'unknown.com' ? { outcome: 'unsupported' } : {});
  const domainNames = ['released.com', 'unknown.com'];
  const { id } = await under.createJob(accountId, 'whois', { domainNames });
  await waitFor('the attempt to join', () => joined.mock.calls.length > 0);
  expect(under.entitlement.openHolds(accountId)).toBe(0);
  expect(await get(accountId, id)).toMatchObject({
    finished_at: null,
    credits: { held: 0, released: 1 },
  });
});
