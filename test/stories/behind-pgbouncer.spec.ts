import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database, withClient } from '#libs/database';
import { HOUR_MS } from '#libs/platform';
import { pgBouncerAvailability, waitFor } from '#test/environment';
import { WebhookReceiver } from '../worker/webhook-receiver.js';
import { bulkJobs } from './bulk-jobs.story.js';
import { buyCredits } from './buy-credits.story.js';
import { databaseFiles } from './database-files.story.js';
import { openSoloBehindPgBouncer, openSoloWithPayments } from './deployment.js';

/** A terabyte of lines, which are generated while they are sent. */
const OUT = "copy (select repeat('x', 1024), generate_series(1, 1000000000)) to stdout";

/** A number of connections of one role, which exceeds those that PgBouncer has to the server for all roles. */
const MANY = 40;

const hasPgBouncer = pgBouncerAvailability() === undefined;

/** Runs stories behind PgBouncer; without it, in one process. */
describe('behind PgBouncer in transaction mode', () => {
  const receiver = new WebhookReceiver();
  let deployment: Awaited<ReturnType<typeof openSoloBehindPgBouncer>>;
  beforeAll(async () => {
    await receiver.start();
    const open = hasPgBouncer ? openSoloBehindPgBouncer : openSoloWithPayments;
    deployment = (await open(receiver.environment)) as typeof deployment;
  });
  afterAll(async () => {
    receiver.stop();
    await deployment?.stop();
  });

  describe('database files', () => databaseFiles(() => deployment));

  describe('credits are bought', () => buyCredits(() => deployment, 'stripe'));

  describe('many names', () => bulkJobs(() => deployment, receiver));

  (hasPgBouncer ? describe : describe.skip)('the pooler', () => {
    const rowsOf = (sql: string) =>
      withClient(deployment.superuserUrl, async (client) => (await client.query(sql)).rows);

    it('the server has fewer connections than its clients have open, and each role has at most two', async () => {
      // The services' own connections may be few, because they close those that they do not need.
      const url = deployment.pooled('gateway');
      const busy = await Database.open({ url, applicationName: 'busy', poolSize: MANY });
      await Promise.all(Array.from({ length: MANY }, () => busy.query('select pg_sleep(0.01)')));
      const pools = (await deployment.pooler.pools()).filter(({ user }) => user !== 'pgbouncer');
      await busy.close();
      const clients = pools.reduce((sum, { cl_active }) => sum + Number(cl_active), 0);
      const servers = pools.map(({ sv_active, sv_idle, sv_used }) =>
        [sv_active, sv_idle, sv_used].reduce((sum, count) => sum + Number(count), 0),
      );
      expect(pools.length).toBeGreaterThan(8);
      expect(Math.max(...servers)).toBeLessThanOrEqual(2);
      expect(clients).toBeGreaterThan(servers.reduce((sum, count) => sum + count, 0));
    });

    it('a statement has the time limit of its role, because PgBouncer drops the limit of the connection', async () => {
      const limits = await Promise.all(
        ['account', 'gateway_maintenance', 'billing_auditor'].map((role) =>
          withClient(deployment.pooled(role), async (client) => {
            const { rows } = await client.query(
              `select current_setting('statement_timeout') as limit, current_setting('idle_in_transaction_session_timeout') as idle`,
            );
            return rows[0];
          }),
        ),
      );
      expect(limits).toEqual([
        { limit: '15s', idle: '1min' },
        { limit: '15s', idle: '1min' },
        { limit: '2min', idle: '1min' },
      ]);
    });

    it('while a password is being changed, services find the valid one', async () => {
      const right = deployment.pooled('gateway');
      const wrong = right.replace(/:[^:@]+@/, ':of-tomorrow@');
      const database = await Database.open({
        url: () => `${wrong}\n${right}`,
        applicationName: 'rotated',
        poolSize: 1,
      });
      expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
      await database.close();
    });

    it('a reader who aborts a COPY ends only that statement on the server', async () => {
      const database = await Database.open({
        url: deployment.pooled('gateway'),
        applicationName: 'reader',
        poolSize: 1,
      });
      const left = new Error('enough');
      const reading = database.snapshot(async (transaction) => {
        await transaction.limitStatements(HOUR_MS);
        for await (const piece of transaction.copyOut(OUT)) if (piece.length > 0) throw left;
      });
      await expect(reading).rejects.toBe(left);
      const before = database.pool;
      expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
      expect([before.connections, database.pool.connections]).toEqual([1, 1]);
      await database.close();
      const running = `select from pg_stat_activity where state = 'active' and query like 'copy (select repeat%'`;
      await waitFor('the COPY to be over', async () => (await rowsOf(running)).length === 0);
    });
  });
});
