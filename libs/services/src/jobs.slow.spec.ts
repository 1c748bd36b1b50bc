import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, JobLease, MaintenanceDatabase, jobLateness } from '#libs/database';
import { DAY_MS, type Job, Logger, SECOND_MS } from '#libs/platform';
import { TestDatabase, waitFor } from '#test/environment';
import { LeasedJob, startJobs } from './jobs.js';

const LEASE_MS = 60 * SECOND_MS;
const LOOK_MS = 30 * SECOND_MS;
const NEVER_MS = 2 ** 30;
const logger = new Logger('jobs', { write: () => {} });

describe('a job of the installation', () => {
  let test: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    test = await TestDatabase.create();
    database = await test.maintenance('gateway');
  });
  const { setTimeout } = globalThis;
  afterEach(() => {
    globalThis.setTimeout = setTimeout;
  });
  afterAll(() => test.drop());

  /** Replaces timer delays with others until the end of the test. */
  function replaceDelays(others: Record<number, number>): void {
    const replaced = (work: () => void, ms = 0) => setTimeout(work, others[ms] ?? ms);
    globalThis.setTimeout = replaced as typeof setTimeout;
  }

  const lease = (owner: string, job: string) =>
    new JobLease(database, { owner, job, leaseMs: LEASE_MS, everyMs: DAY_MS });
  /** Makes time pass for one job, by moving its times into the past. */
  const pass = (job: string, ms: number) =>
    database.query(
      `update job_lease set lease_until = lease_until - $2 * interval '1 ms',
         last_run_at = last_run_at - $2 * interval '1 ms' where job = $1`,
      [job, ms],
    );
  const rowOf = async (job: string) => {
    const [row] = await database.query<{ leftMs: number; ranOnce: boolean }>(
      `select (extract(epoch from lease_until - clock_timestamp()) * 1000)::float8 as "leftMs",
         last_run_at is not null as "ranOnce" from job_lease where job = $1`,
      [job],
    );
    return row;
  };

  it('exactly one of several simultaneous processes runs a job, the first time and each later time', async () => {
    const processes = Array.from({ length: 8 }, (_, n) => lease(`process ${n}`, 'asked'));
    for (const round of ['1', '2']) {
      const taken = await Promise.all(processes.map((one) => one.take()));
      const [run] = taken.filter((one) => one !== undefined);
      expect(taken.filter(Boolean)).toEqual([{ epoch: round }]);
      expect(await lease('any', 'asked').finish(run)).toBe(true);
      await pass('asked', DAY_MS);
    }
  });

  it('a starting process does not run a job early, but makes up for a run that was missed while no process was running', async () => {
    let runs = 0;
    const job: Job = { name: 'daily', runOnce: async () => void runs++ };
    const start = () => new LeasedJob(job, { database, logger, everyMs: DAY_MS });
    expect(await start().runOnce()).toBe(true);
    expect([await start().runOnce(), await start().runOnce()]).toEqual([false, false]);
    await pass('daily', DAY_MS - LEASE_MS);
    expect(await start().runOnce()).toBe(false);
    await pass('daily', 3 * DAY_MS);
    expect([await start().runOnce(), await start().runOnce()]).toEqual([true, false]);
    expect(runs).toBe(2);
  });

  it("a run whose process was killed is taken over when its lease ends: after a minute, not after the job's interval", async () => {
    expect(await lease('dying', 'killed').take()).toBeDefined();
    expect((await rowOf('killed')).leftMs).toBeLessThanOrEqual(LEASE_MS);
    expect(await lease('heir', 'killed').take()).toBeUndefined();
    await pass('killed', LEASE_MS);
    expect(await lease('heir', 'killed').take()).toBeDefined();
  });

  it('a process that outlived its lease neither extends it nor records its run', async () => {
    const [slow, heir] = [lease('slow', 'fenced'), lease('heir', 'fenced')];
    const lost = (await slow.take())!;
    await pass('fenced', LEASE_MS);
    const run = (await heir.take())!;
    expect([await slow.renew(lost), await slow.leave(lost, 0), await slow.finish(lost)]).toEqual([
      false,
      false,
      false,
    ]);
    expect(await rowOf('fenced')).toMatchObject({ ranOnce: false });
    expect([await heir.renew(run), await heir.finish(run)]).toEqual([true, true]);
    expect(await rowOf('fenced')).toMatchObject({ ranOnce: true });
  });

  it('a job that has never finished becomes later with each failed run', async () => {
    const lates: number[] = [];
    for (let run = 1; run <= 31; run++) {
      await lease('failing', 'new').leave((await lease('failing', 'new').take())!, 0);
      lates.push((await jobLateness(database, [{ job: 'new', everyMs: DAY_MS }]))[0]?.late);
    }
    expect([lates[0], lates.at(-1)]).toEqual([0, 300]);
  });

  it('a job is late while it is due and none of its runs succeeds, but not while a run takes long', async () => {
    const lateOf = async (job: string) => {
      const [row] = await jobLateness(database, [{ job, everyMs: DAY_MS }]);
      return row && Math.round(row.late / 60);
    };
    const failing = async () =>
      await lease('failing', 'late').leave((await lease('failing', 'late').take())!, 0);
    await lease('first', 'late').take();
    expect(await lateOf('late')).toBe(0);
    await pass('late', LEASE_MS);
    await lease('first', 'late').finish((await lease('first', 'late').take())!);
    expect(await lateOf('late')).toBe(0);
    await pass('late', DAY_MS + 600 * SECOND_MS);
    expect(await lateOf('late')).toBe(10);
    await failing();
    expect(await lateOf('late')).toBe(10);
    const run = (await lease('heir', 'late').take())!;
    await database.query(
      `update job_lease set started_at = started_at - interval '3 minutes' where job = 'late'`,
    );
    expect(await lateOf('late')).toBe(0);
    await lease('heir', 'late').finish(run);
    expect(await lateOf('late')).toBe(0);
  });

  it('a job whose runs each fail after minutes becomes late from the third run on', async () => {
    const slow = lease('slow', 'failing slowly');
    await slow.finish((await slow.take())!);
    await pass('failing slowly', DAY_MS + 600 * SECOND_MS);
    const lates: number[] = [];
    for (let run = 1; run <= 4; run++) {
      const taken = (await slow.take())!;
      await database.query(
        `update job_lease set started_at = started_at - interval '3 minutes' where job = 'failing slowly'`,
      );
      const declared = [{ job: 'failing slowly', everyMs: DAY_MS }];
      const [{ late }] = await jobLateness(database, declared);
      lates.push(Math.round(late / 60));
      await slow.leave(taken, 0);
    }
    expect(lates).toEqual([0, 0, 10, 10]);
  });

  it('a run that takes longer than a lease keeps its lease', async () => {
    let end = () => {};
    const runOnce = () => new Promise<void>((resolve) => void (end = resolve));
    const job = new LeasedJob(
      { name: 'long', runOnce },
      { database, logger, everyMs: DAY_MS, leaseMs: LEASE_MS },
    );
    replaceDelays({ [LEASE_MS / 3]: 10 });
    const running = job.runOnce();
    await waitFor('the lease', () => rowOf('long'));
    await pass('long', LEASE_MS - SECOND_MS);
    await waitFor('its renewal', async () => (await rowOf('long')).leftMs > SECOND_MS);
    expect(await lease('other', 'long').take()).toBeUndefined();
    end();
    expect(await running).toBe(true);
  });

  it('a failed run is due again after 10 s; after three failures in a row, pauses grow to at most a minute', async () => {
    const runOnce = async () => {
      throw new Error('no');
    };
    const job = new LeasedJob({ name: 'failing', runOnce }, { database, logger, everyMs: DAY_MS });
    const pauses: number[] = [];
    for (let time = 0; time < 7; time += 1) {
      await expect(job.runOnce()).rejects.toThrow('no');
      expect(await lease('other', 'failing').take()).toBeUndefined();
      pauses.push(Math.ceil((await rowOf('failing')).leftMs / SECOND_MS));
      await pass('failing', LEASE_MS);
    }
    // A part of each pause has already passed in the database's time.
    const longest = [10, 10, 10, 20, 40, 60, 60];
    expect(pauses.map((seconds) => longest.find((each) => seconds <= each))).toEqual(longest);
    expect(await lease('other', 'failing').take()).toBeDefined();
    await job.stop();
  });

  it('another process does the job of a killed process before its next regular check', async () => {
    let runs = 0;
    const job: Job = { name: 'inherited', runOnce: async () => void runs++ };
    const get = (type: unknown) => (type === MaintenanceDatabase ? database : job);
    replaceDelays({ [LOOK_MS]: NEVER_MS });
    await lease('killed', 'inherited').take();
    // The first check comes too early.
    await pass('inherited', LEASE_MS - 2 * SECOND_MS);
    const jobs = startJobs({ app: { get } as never }, logger, [
      { job: Object as never, everyMs: DAY_MS, runs: 'installation' },
    ]);
    await waitFor("the successor's run", () => runs === 1);
    await jobs.stop();
  });

  it('a database that did not answer is queried again before the next regular check', async () => {
    let [runs, refused] = [0, 0];
    const busy = {
      query: async (...words: Parameters<Database['query']>) => {
        const isClockCheck = words[0].startsWith('select clock');
        if (!isClockCheck && refused++ === 0) throw new Error('no connection became free');
        return database.query(...words);
      },
    };
    const job: Job = { name: 'kept waiting', runOnce: async () => void runs++ };
    const get = (type: unknown) => (type === MaintenanceDatabase ? busy : job);
    // The next check follows after 10 s.
    replaceDelays({ [LOOK_MS]: NEVER_MS, [10 * SECOND_MS + 1]: 1 });
    const jobs = startJobs({ app: { get } as never }, logger, [
      { job: Object as never, everyMs: DAY_MS, runs: 'installation' },
    ]);
    await waitFor('the run', () => runs === 1);
    await jobs.stop();
  });

  it.each([100, -3])(
    'no job runs on a machine whose clock is %i days off, until it is set right',
    async (days) => {
      let [runs, isWrong] = [0, true];
      const lines: string[] = [];
      const answering = {
        query: async (sql: string, parameters?: unknown[]) => {
          const now = new Date(Date.now() - (isWrong ? days * DAY_MS : 0));
          return sql.startsWith('select clock') ? [{ now }] : database.query(sql, parameters);
        },
      };
      const job: Job = { name: 'timed', runOnce: async () => void runs++ };
      const get = (type: unknown) => (type === MaintenanceDatabase ? answering : job);
      const told = new Logger('jobs', { write: (line) => void lines.push(line) });
      const jobs = startJobs({ app: { get } as never }, told, [
        { job: Object as never, everyMs: 10, runs: 'process' },
      ]);
      await waitFor('the reason', () => lines.length > 0);
      expect([runs, lines[0]]).toEqual([0, expect.stringContaining('days')]);
      isWrong = false;
      await waitFor('a run', () => runs > 0);
      await jobs.stop();
    },
  );

  it('a stop ends the current run of a job that can end early', async () => {
    let end = () => {};
    const ended = new Promise<void>((resolve) => void (end = resolve));
    let runs = 0;
    const runOnce = async () => {
      runs += 1;
      await ended;
    };
    const job: Job = { name: 'stopped', runOnce, stop: async () => end() };
    const get = (type: unknown) => (type === MaintenanceDatabase ? database : job);
    const jobs = startJobs({ app: { get } as never }, logger, [
      { job: Object as never, everyMs: DAY_MS, runs: 'installation' },
    ]);
    await waitFor('the run', () => runs === 1);
    await jobs.stop();
  });

  it('a lease of several days, left by a dead process of the last release, can be taken over', async () => {
    await database.query(
      `insert into job_lease (job, owner, lease_until) values ('older', 'gone', now() + interval '3 days')`,
    );
    expect(await lease('heir', 'older').take()).toBeDefined();
    const tooLong = { job: 'older', leaseMs: LEASE_MS + 1, everyMs: DAY_MS };
    expect(() => new JobLease(database, tooLong)).toThrow('at most');
  });
});
