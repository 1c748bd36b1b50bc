import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { withClient } from '#libs/database';
import { DAY_MS, SECOND_MS, newId } from '#libs/platform';
import { TestDatabase } from '#test/environment';
import { WorkerUnderTest } from '../../../../test/worker/worker-under-test.js';
import { ExpireUploadsJob } from './expire-uploads.job.js';

const under = new WorkerUnderTest();
let test: TestDatabase;

beforeAll(async () => {
  test = await TestDatabase.create();
  await under.start(undefined, { test });
  await under.holdJob('expire-uploads');
});
afterAll(async () => {
  await under.stop();
  await test?.drop();
});

it('an upload that cannot be deleted does not stop the deletion of others, which have two minutes each', async () => {
  const accountId = newId();
  const ids: string[] = [];
  for (const name of ['stuck.com', 'other.com']) {
    const { id } = await under.upload(accountId, name);
    await under.endOfUpload(accountId, id);
    ids.push(id);
    under.clock.advance(SECOND_MS);
  }
  await withClient(test.url(), (client) =>
    client.query(
      `create function worker.stuck() returns trigger language plpgsql as $$ begin
         if old.name = 'stuck.com' or current_setting('statement_timeout')::interval < '2 min' then
           raise 'stuck';
         end if;
         return old;
       end $$;
       create trigger stuck before delete on worker.name_lines for each row execute function worker.stuck()`,
    ),
  );
  under.clock.advance(7 * DAY_MS);
  await expect(under.get(ExpireUploadsJob).runOnce()).rejects.toThrow('1 of 2 failed');
  const { text } = await under.send('GET', '/internal/uploads', { accountId });
  expect(JSON.parse(text)).toMatchObject({ uploads: [{ id: ids[0] }] });
});
