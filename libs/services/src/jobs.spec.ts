import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, JobLease } from '#libs/database';
import { type Job, Logger } from '#libs/platform';
import { TestDatabase, waitFor } from '#test/environment';
import { LeasedJob } from './jobs.js';

const LONG_MS = 60_000;
const logger = new Logger('jobs', { write: () => {} });

describe('a job of the installation', () => {
  let test: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    test = await TestDatabase.create();
    database = await test.maintenance('gateway');
  });
  afterAll(() => test.drop());

  const lease = (owner: string, job: string, leaseMs = LONG_MS) =>
    new JobLease(database, { owner, job, leaseMs });

  it('of processes that ask at once exactly one gets its lease, and keeps it as long as it asks', async () => {
    const processes = Array.from({ length: 8 }, (_, n) => lease(`process ${n}`, 'asked'));
    const taken = await Promise.all(processes.map((one) => one.take()));
    expect(taken.filter(Boolean)).toHaveLength(1);
    const again = await Promise.all(processes.map((one) => one.take()));
    expect(again).toEqual(taken);
  });

  it('a lease that is given back or runs out goes to whoever asks next', async () => {
    const [first, second] = [lease('first', 'passed'), lease('second', 'passed')];
    expect([await first.take(), await second.take()]).toEqual([true, false]);
    await second.release();
    expect(await second.take()).toBe(false);
    await first.release();
    expect([await second.take(), await first.take()]).toEqual([true, false]);
    expect(await lease('dying', 'run out', 1).take()).toBe(true);
    await waitFor('the lease to run out', () => lease('heir', 'run out').take());
  });

  it('is not run by a process that does not have the lease, and continues elsewhere after a drain', async () => {
    let runs = 0;
    const job: Job = { name: 'counting', runOnce: async () => void runs++ };
    const here = new LeasedJob(job, { database, logger, everyMs: LONG_MS });
    const elsewhere = lease('elsewhere', 'counting');
    expect(await here.runOnce()).toBe(true);
    expect(await elsewhere.take()).toBe(false);
    await here.end();
    expect(await elsewhere.take()).toBe(true);
    expect(await here.runOnce()).toBe(false);
    expect(runs).toBe(1);
  });
});
