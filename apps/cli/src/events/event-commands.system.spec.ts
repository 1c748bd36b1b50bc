import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { serviceRole, withClient } from '#libs/database';
import { TestDatabase } from '#test/environment';

const PROGRAM = new URL('../main.js', import.meta.url).pathname;

let test: TestDatabase;
const folder = mkdtempSync(join(tmpdir(), 'events-'));
const { PATH, NODE_COMPILE_CACHE } = process.env;
const ENVIRONMENT = { PATH, NODE_COMPILE_CACHE, DATA_DIR: folder };

const run = (...args: string[]) =>
  spawnSync(process.execPath, [PROGRAM, ...args], { env: ENVIRONMENT, encoding: 'utf8' });

beforeAll(async () => {
  test = await TestDatabase.create();
});
afterAll(async () => {
  await test.drop();
  rmSync(folder, { recursive: true, force: true });
});

it('`events list` lists the failed events of the installation that runs in the data folder', async () => {
  const schemas = await test.schemas();
  const urls = schemas.map(
    (name) => `${name}_database_url`.toUpperCase() + `=${test.url(serviceRole(name))}\n`,
  );
  writeFileSync(join(folder, 'operator.env'), `OPERATOR_ENV_OF=${process.pid}\n${urls.join('')}`);
  await withClient(test.url(serviceRole('entitlement')), (client) =>
    client.query(
      `insert into failed_event (consumer, event_id, type, key, state, reason, attempts, topic, bucket, body)
       values ('entitlement', gen_random_uuid(), 'PaymentConfirmed', 'ada', 'dead', 'no such order', 3, 'billing.events', 0, '{}')`,
    ),
  );
  expect(run('events', 'list').stdout).toContain('no such order');
  const [event] = JSON.parse(run('events', 'list', '--json').stdout) as object[];
  expect(event).toMatchObject({ service: 'entitlement', state: 'dead', reason: 'no such order' });
});

it('`events list` lists every event, however many discarded ones were stored before it', async () => {
  await withClient(test.url(serviceRole('account')), (client) =>
    client.query(
      `insert into failed_event (consumer, event_id, type, key, state, reason, attempts, topic, bucket, body)
       select 'account', gen_random_uuid(), 'PaymentConfirmed', 'ada',
         case n when 401 then 'dead' else 'discarded' end, 'number ' || n, 3, 'billing.events', 0, '{}'
       from generate_series(1, 401) n`,
    ),
  );
  expect(run('events', 'list', '--consumer', 'account').stdout).toContain('number 401');
});

it('an unknown event is not reported as retried', () => {
  const { status, stdout } = run('events', 'redrive', randomUUID(), '--consumer', 'entitlement');
  expect([status, stdout]).toEqual([1, expect.stringContaining('no such failed event')]);
});
