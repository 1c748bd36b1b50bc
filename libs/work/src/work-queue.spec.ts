import { describe, expect, it } from '@jest/globals';
import type { Transaction } from '#libs/database';
import { newId } from '#libs/platform';
import { FailedWork, type Work, WorkIsHopeless, WorkLost, WorkQueue, later } from '#libs/work';
import { rowsRead, waitFor } from '#test/environment';
import {
  type Doing,
  add,
  addMany,
  analyze,
  claimAndDie,
  database,
  done,
  held,
  logLines,
  note,
  pass,
  queue,
  rows,
  runner,
  useQueue,
} from './queue-under-test.contract.js';
import { WorkRepository } from './work.repository.js';

useQueue();

describe('work', () => {
  it('work is done once, after the commit of the transaction that added it, and never after a rollback', async () => {
    const rolledBack = database.transaction(async (transaction) => {
      await queue.add(transaction, { name: 'lost', payload: {} });
      throw new Error('no');
    });
    await expect(rolledBack).rejects.toThrow('no');
    expect(await add('kept')).toBe(true);
    await runner().runOnce();
    await runner().runOnce();
    expect(done).toEqual(['kept']);
  });

  it('work whose name is already waiting can be added again only after that work is done', async () => {
    expect([await add('one'), await add('one')]).toEqual([true, false]);
    await runner().runOnce();
    expect(await add('one')).toBe(true);
  });

  it('several processes share a queue, and each item is done by one of them', async () => {
    const runners = Array.from({ length: 4 }, () => runner(note, { concurrency: 8 }));
    await Promise.all([newId(), newId(), newId()].map((account) => addMany(account, account, 100)));
    await Promise.all(runners.map((one) => one.runOnce()));
    expect(done).toHaveLength(300);
    expect(new Set(done).size).toBe(300);
    expect(await rows()).toEqual([]);
  });

  it('work of a dead process is done by another process when its lease ends', async () => {
    await add('orphan');
    await claimAndDie();
    const [{ left }] = await database.query<{ left: number }>(
      `select extract(epoch from until - clock_timestamp())::float8 as left from work`,
    );
    expect(left).toBeLessThanOrEqual(60);
    await runner().runOnce();
    expect(done).toEqual([]);
    await pass(60);
    await runner().runOnce();
    expect(done).toEqual(['orphan']);
  });

  it('work of a paused process is finished only by another process', async () => {
    await add('slow');
    const lost: unknown[] = [];
    const effect = (work: Work<object>, by: string) =>
      database.transaction(async (transaction) => {
        done.push(by);
        await work.finish(transaction);
      });
    const still = held();
    const pausing: Doing = async (work) => {
      await still.doing(work);
      await effect(work, 'paused').catch((error: unknown) => lost.push(error));
    };
    const paused = runner(pausing, { concurrency: 1 });
    const running = paused.runOnce();
    await still.begun;
    await pass(60);
    const other = held();
    const others = runner(async (work) => {
      await other.doing(work);
      await effect(work, 'other');
    }).runOnce();
    await other.begun;
    still.end.resolve();
    await running;
    expect(lost[0]).toBeInstanceOf(WorkLost);
    other.end.resolve();
    await others;
    expect(done).toEqual(['paused', 'other']);
    expect(await rows()).toEqual([]);
  });

  it('a process keeps its lease while it does the work', async () => {
    await add('long');
    const long = held();
    const running = runner(long.doing, { leaseMs: 3_000 }).runOnce();
    await long.begun;
    const left = async () => {
      const [row] = await database.query<{ left: number }>(
        'select extract(epoch from until - clock_timestamp())::float8 as left from work',
      );
      return row.left;
    };
    await pass(2);
    await waitFor('its renewal', async () => (await left()) > 1);
    long.end.resolve();
    await running;
    expect(await rows()).toEqual([]);
  });

  it('work is done together with its effect, or not at all', async () => {
    await add('both');
    let tries = 0;
    const both: Doing = (work) =>
      database.transaction(async (transaction) => {
        await work.finish(transaction);
        if (++tries === 1) throw new Error('after the end');
      });
    const calls = runner(both, { backOffMs: [0] });
    // By the database's clock, the pause of 0 ms may not be over at the next check.
    await waitFor('the second try', async () => {
      await calls.runOnce();
      return tries === 2;
    });
    expect(await rows()).toEqual([]);
  });

  it('failed work is retried after growing pauses, is then dead with an alarm, and can be redriven', async () => {
    let isBroken = true;
    const tried: number[] = [];
    const hard = runner(
      async ({ tries }) => {
        tried.push(tries);
        if (isBroken) throw new Error('not now');
      },
      { backOffMs: [10_000, 60_000] },
    );
    await add('hard');
    for (const seconds of [9, 10, 59, 60, 600]) {
      await hard.runOnce();
      await pass(seconds);
    }
    expect(tried).toEqual([1, 2, 3]);
    expect(JSON.parse(logLines.at(-1)!)).toMatchObject({ msg: 'work of calls is dead' });
    const failed = new FailedWork(database);
    const dead = {
      queue: 'calls',
      name: 'hard',
      state: 'dead',
      reason: 'Error: not now',
      tries: 3,
    };
    const [{ id }, ...others] = await failed.list();
    expect([await failed.list(id), others]).toEqual([[expect.objectContaining(dead)], []]);
    expect(await add('hard')).toBe(false);
    isBroken = false;
    expect([await failed.redrive(newId()), await failed.redrive(id)]).toEqual([0, 1]);
    await hard.runOnce();
    expect(await rows()).toEqual([]);
  });

  it('work that is requested again during its last attempt is done once more, and cancelled work is removed', async () => {
    const group = newId();
    const tried: [string, number][] = [];
    const failing = runner(
      async ({ name, tries }) => {
        const isAgain = tried.some(([one]) => one === name);
        tried.push([name, tries]);
        if (isAgain) return;
        await database.transaction(async (transaction) => {
          if (name === 'wanted') await queue.want(transaction, { name, payload: {} });
          // As another process would do it, so that this runner is not told.
          else await new WorkQueue({ name: 'calls' }).cancel(transaction, group);
        });
        throw new WorkIsHopeless('not now');
      },
      { concurrency: 1 },
    );
    await add('wanted');
    await add('cancelled', { group });
    await failing.runOnce();
    expect(tried.toSorted()).toEqual([
      ['cancelled', 1],
      ['wanted', 1],
      ['wanted', 1],
    ]);
    expect(await rows()).toEqual([]);
    expect(logLines).toEqual([]);
  });

  it('hopeless work is dead at once and can be discarded', async () => {
    const hopeless = runner(async () => {
      throw new WorkIsHopeless('no such order');
    });
    await add('hopeless');
    await hopeless.runOnce();
    expect(await rows()).toMatchObject([{ name: 'hopeless', state: 'dead', tries: 1 }]);
    const failed = new FailedWork(database);
    const [{ id }] = await failed.list();
    expect([await failed.discard(newId()), await failed.discard(id)]).toEqual([false, true]);
    expect(await rows()).toEqual([]);
  });

  it('an operator can discard work that is retried without end, but not work that has not failed', async () => {
    const endless = runner(
      async () => {
        throw new Error('not ours');
      },
      { triesMax: Infinity },
    );
    await add('foreign');
    await endless.runOnce();
    await add('new');
    const failed = new FailedWork(database);
    const [{ id }, ...others] = await failed.list();
    expect(others).toEqual([]);
    expect(await failed.discard(id)).toBe(true);
    expect(await rows()).toMatchObject([{ name: 'new' }]);
  });

  it('an item that kills its process at each attempt is dead after as many attempts as a failing item', async () => {
    await add('poison');
    for (let death = 0; death < 2; death += 1) {
      await claimAndDie({ triesMax: 2 });
      await pass(60);
    }
    await runner(note, { triesMax: 2 }).runOnce();
    expect(done).toEqual([]);
    expect(await rows()).toMatchObject([{ name: 'poison', state: 'dead' }]);
  });

  it('work that exceeds its time limit counts as a failed attempt, and its handler cannot finish it', async () => {
    await add('endless');
    const endless = held();
    await runner(endless.doing, { timeLimitMs: 50 }).runOnce();
    expect(await rows()).toMatchObject([{ state: 'waiting', tries: 1 }]);
    const work = await endless.begun;
    expect(work.signal.aborted).toBe(true);
    const finishing = database.transaction((transaction) => work.finish(transaction));
    await expect(finishing).rejects.toBeInstanceOf(WorkLost);
  });

  it('postponed work returns at the requested time, and no attempt is counted', async () => {
    const tries: number[] = [];
    let isEarly = true;
    const early = runner(async (work) => {
      tries.push(work.tries);
      return isEarly ? later(30) : undefined;
    });
    await add('early');
    for (let round = 0; round < 5; round += 1) {
      await early.runOnce();
      await early.runOnce();
      await pass(30);
    }
    isEarly = false;
    await early.runOnce();
    expect(tries).toEqual([1, 1, 1, 1, 1, 1]);
    expect(await rows()).toEqual([]);
    expect(() => later(8 * 86_400)).toThrow(RangeError);
  });

  it('work may be added for a later time', async () => {
    await add('tomorrow', { delaySeconds: 86_400 });
    await runner().runOnce();
    expect(done).toEqual([]);
    await pass(86_400);
    await runner().runOnce();
    expect(done).toEqual(['tomorrow']);
  });

  it('running work that is requested again runs once more; waiting work is due at once', async () => {
    const want = (name: string) =>
      database.transaction((transaction) => queue.want(transaction, { name, payload: {} }));
    await want('object');
    const first = held();
    const running = runner(async (work) => {
      await first.doing(work);
      done.push(work.name);
    }).runOnce();
    await first.begun;
    await want('object');
    await want('object');
    first.end.resolve();
    await running;
    expect(done).toEqual(['object', 'object']);
    await add('waiting', { delaySeconds: 600 });
    await want('waiting');
    await runner().runOnce();
    expect(done).toEqual(['object', 'object', 'waiting']);
    expect(await rows()).toEqual([]);
  });

  it('finding due work reads an index, not all work of the queue that waits', async () => {
    await addMany(newId(), 'later', 20_000, { delaySeconds: 3_600 });
    await addMany(newId(), 'due', 3, { delaySeconds: 60 });
    await database.query(
      `update work set until = clock_timestamp() - interval '1 s' where name like 'due %'`,
    );
    await analyze();
    const readBy = (look: (transaction: Transaction) => Promise<unknown>) =>
      database.transaction((transaction) =>
        rowsRead(transaction, ['gateway.work'], () => look(transaction)),
      );
    expect(await readBy((transaction) => queue.isWaitedFor(transaction, []))).toBeLessThan(100);
    const request = { limit: 10, quantum: 10, leaseMs: 1_000 };
    const repository = new WorkRepository('calls');
    const claimed = await database.transaction((transaction) =>
      repository.claim(transaction, request),
    );
    expect(claimed).toHaveLength(3);
    expect(await readBy((transaction) => repository.claim(transaction, request))).toBeLessThan(100);
  });
});
