import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#libs/platform';
import { isBlockedBy, waitFor } from '#test/environment';
import { QuestionsStandIn } from '../../../../test/worker/questions-stand-in.js';
import { WorkerUnderTest } from '../../../../test/worker/worker-under-test.js';
import { JobQueues } from './job-queues.js';

describe('the jobs of an account', () => {
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

  it('S102: simultaneous starts of one account wait without database connections', async () => {
    const accountId = newId();
    const { database } = under;
    const waiting = async () => {
      const [{ count }] = await database.query<{ count: number }>(
        `select count(*)::int as count from pg_locks where locktype = 'advisory' and not granted
           and database = (select oid from pg_database where datname = current_database())`,
      );
      return count;
    };
    let starts: Promise<unknown>[] = [];
    await database.transaction(async (transaction) => {
      const lock = `select pg_advisory_xact_lock(hashtextextended('jobs ' || $1, 0))`;
      await transaction.query(lock, [accountId]);
      starts = Array.from({ length: 5 }, (_, n) =>
        under.createJob(accountId, 'dns', { domainNames: [`turn-${n}.com`] }),
      );
      await waitFor('a start to wait', async () => (await waiting()) > 0);
      // A start of another account would come after theirs.
      await under.createJob(newId(), 'dns', { domainNames: ['other.com'] });
      expect(await waiting()).toBe(1);
    });
    await Promise.all(starts);
  });

  it('S105: at most 200 jobs in a day may charge nothing', async () => {
    const accountId = newId();
    const one = (n: number) =>
      under.createJob(accountId, 'whois', { domainNames: [`u-${n}.nowhere`] });
    const { id } = await one(0);
    await under.endOfJob(accountId, id);
    // The next 198 jobs are copied in the database, which is faster than starting them.
    await under.database.query(
      `insert into jobs select (jsonb_populate_record(one, jsonb_build_object('id', gen_random_uuid()))).*
       from jobs one, generate_series(1, 198) where id = $1`,
      [id],
    );
    expect(await one(1)).toMatchObject({ credits: { price: 0 } });
    await expect(one(2)).rejects.toMatchObject({ status: 409, code: 'too_many_jobs' });
    expect(await under.createJob(newId(), 'whois', { domainNames: ['u-3.nowhere'] })).toBeDefined();
    await under.database.query(
      `update jobs set created_at = created_at - interval '1 day' where account_id = $1`,
      [accountId],
    );
    expect(await one(4)).toMatchObject({ kind: 'whois' });
  });

  it('S105: the number of lines that cost nothing is limited', async () => {
    const accountId = newId();
    const one = (n: number) =>
      under.createJob(accountId, 'whois', {
        domainNames: [`free-${n}.com`, ...Array.from({ length: 13 }, () => 'no name')],
      });
    const { id } = await one(0);
    expect(await under.endOfJob(accountId, id)).toMatchObject({ credits: { charged: 1 } });
    await under.database.query(`update jobs set lines = 6000006 where id = $1`, [id]);
    const last = await one(1);
    await under.endOfJob(accountId, last.id!);
    await expect(one(2)).rejects.toMatchObject({ status: 409, code: 'too_many_jobs' });
    expect(
      await under.createJob(accountId, 'whois', { domainNames: ['free-3.com'] }),
    ).toBeDefined();
    await under.database.query(
      `update jobs set created_at = created_at - interval '30 days' where id = $1`,
      [id],
    );
    expect(await one(4)).toMatchObject({ kind: 'whois' });
  });

  it('S105: each name that a job may still charge allows ten more free lines', async () => {
    const accountId = newId();
    under.entitlement.balances.set(accountId, 10);
    const one = () => under.createJob(accountId, 'dns', { domainNames: ['repeated.com'] });
    lookup.hold();
    const { id } = await one();
    const sizes = 'update jobs set lines = 7000000, unique_names = 700000 where id = $1';
    await under.database.query(sizes, [id]);
    const second = await one();
    await under.database.query('update jobs set lines = 13700001 where id = $1', [id]);
    await expect(one()).rejects.toMatchObject({ status: 409, code: 'too_many_jobs' });
    lookup.letAllGo();
    await under.endOfJob(accountId, second.id);
  });

  it('S105: the number of names without an answer is limited', async () => {
    const accountId = newId();
    lookup.found = (name) => (name === 'answered.com' ? {} : { outcome: 'empty' });
    const names = ['a.com', 'b.com', 'c.com', 'answered.com'];
    const one = () => under.createJob(accountId, 'dns', { domainNames: names, types: ['A'] });
    const { id } = await one();
    expect(await under.endOfJob(accountId, id)).toMatchObject({
      counts: { failed: 3 },
      credits: { charged: 1 },
    });
    await under.database.query(`update jobs set failed = 30000000 where id = $1`, [id]);
    const last = await one();
    await under.endOfJob(accountId, last.id);
    await expect(one()).rejects.toMatchObject({ status: 409, code: 'too_many_jobs' });
    await under.database.query(
      `update jobs set created_at = created_at - interval '30 days' where id = $1`,
      [id],
    );
    expect(await one()).toMatchObject({ kind: 'dns' });
  });

  it('S105: long jobs start one at a time, so that short jobs always find a free slot', async () => {
    const { database } = under;
    const { starts } = under.worker.app.get(JobQueues, { strict: false });
    await starts.pause(database, 3_600);
    const long = [newId(), newId()];
    const jobs = long.map((accountId) =>
      under.createJob(accountId, 'whois', { domainNames: ['long.com'] }),
    );
    const ids = (await Promise.all(jobs)).map(({ id }) => id);
    await database.query('update jobs set lines = 10001 where id = any ($1)', [ids]);
    await database.transaction(async (transaction) => {
      // These jobs never finish starting.
      await transaction.query('select from jobs where id = any ($1) for update', [ids]);
      await starts.pause(database, 0);
      await waitFor('a long start', () => isBlockedBy(transaction));
      const accountId = newId();
      const { id } = await under.createJob(accountId, 'whois', { domainNames: ['short.com'] });
      await under.endOfJob(accountId, id);
    });
    for (const [place, accountId] of long.entries()) await under.endOfJob(accountId, ids[place]);
  });

  it('a request without names, with too many names, or without a valid name is rejected', async () => {
    const tooMany = Array.from({ length: 1_001 }, (_, n) => `n${n}.com`);
    for (const [body, status] of [
      [{}, 400],
      [{ domainNames: [] }, 400],
      [{ domainNames: tooMany }, 413],
    ] as const) {
      await expect(under.createJob(newId(), 'whois', body)).rejects.toMatchObject({ status });
    }
    await expect(under.createJob(newId(), 'whois', { domainNames: ['-'] })).rejects.toMatchObject({
      status: 422,
      code: 'no_valid_names',
    });
  });
});
