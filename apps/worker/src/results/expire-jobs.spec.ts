import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { JobAnswer } from '#libs/contracts';
import { withClient } from '#libs/database';
import { DAY_MS, SECOND_MS, newId } from '#libs/platform';
import { TestDatabase } from '#test/environment';
import { QuestionsStandIn } from '../../../../test/worker/questions-stand-in.js';
import { WorkerUnderTest } from '../../../../test/worker/worker-under-test.js';
import { ExpireJobsJob } from './expire-jobs.job.js';

const under = new WorkerUnderTest();
const lookup = new QuestionsStandIn();
let test: TestDatabase;

beforeAll(async () => {
  test = await TestDatabase.create();
  await lookup.start();
  await under.start(lookup.url, { test });
  await under.holdJob('expire-jobs');
});
afterAll(async () => {
  await under.stop();
  await lookup.stop();
  await test?.drop();
});

it('a job that cannot be expired does not stop the expiry of others, which have two minutes each', async () => {
  const accountId = newId();
  const ids: string[] = [];
  for (const name of ['stuck.com', 'other.com']) {
    const { id } = await under.createJob(accountId, 'whois', { domainNames: [name] });
    await under.endOfJob(accountId, id);
    ids.push(id!);
    under.clock.advance(SECOND_MS);
  }
  await withClient(test.url(), (client) =>
    client.query(
      `create function worker.stuck() returns trigger language plpgsql as $$ begin
         if old.job_id = '${ids[0]}' or current_setting('statement_timeout')::interval < '2 min' then
           raise 'stuck';
         end if;
         return old;
       end $$;
       create trigger stuck before delete on worker.job_chunks for each row execute function worker.stuck()`,
    ),
  );
  under.clock.advance(30 * DAY_MS);
  await expect(under.get(ExpireJobsJob).runOnce()).rejects.toThrow('1 of 2 failed');
  const states = ids.map(async (id) => {
    const path = `/internal/jobs/${id}`;
    return (await under.gateway.call<JobAnswer>('GET', path, { accountId })).state;
  });
  expect(await Promise.all(states)).toEqual(['completed', 'expired']);
});
