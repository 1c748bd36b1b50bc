import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { MonitorAnswer, MonitorEventsAnswer } from '#libs/contracts';
import { withClient } from '#libs/database';
import { DAY_MS, newId } from '#libs/platform';
import { TestDatabase } from '#test/environment';
import { WorkerUnderTest } from '../../../../test/worker/worker-under-test.js';
import { RemindExpiriesJob } from './remind-expiries.job.js';

const under = new WorkerUnderTest();
let test: TestDatabase;

beforeAll(async () => {
  test = await TestDatabase.create();
  await under.start(undefined, { test });
  await under.holdJob('remind-expiries');
});
afterAll(async () => {
  await under.stop();
  await test?.drop();
});

it('a reminder that cannot be stored does not stop the reminders of other names', async () => {
  const accountId = newId();
  under.entitlement.monitors.set(accountId, { domain: 2, brand: 0, registrant: 0 });
  const watch = async (domainName: string) => {
    const body = { kind: 'domain', domainName };
    const made = await under.gateway.call<MonitorAnswer>('POST', '/internal/monitors', {
      accountId,
      body,
    });
    return made.id;
  };
  await watch('first.com');
  const id = await watch('second.com');
  const soon = new Date(under.clock.now().getTime() + 7 * DAY_MS);
  await under.database.query('update watched_names set expires_on = $1', [soon]);
  await withClient(test.url(), (client) =>
    client.query(
      `create function worker.stuck() returns trigger language plpgsql as 'begin raise ''stuck''; end';
       create trigger stuck before insert on worker.monitor_events for each row
         when (new.domain_name = 'first.com') execute function worker.stuck()`,
    ),
  );
  await expect(under.get(RemindExpiriesJob).runOnce()).rejects.toThrow('1 of 2 failed');
  const path = `/internal/monitors/${id}/events`;
  const { events } = await under.gateway.call<MonitorEventsAnswer>('GET', path, { accountId });
  expect(events).toMatchObject([{ type: 'domain.expiring', days_left: 7 }]);
});
