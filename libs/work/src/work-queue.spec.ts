import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Database, withClient } from '#libs/database';
import { Logger, Metrics, newId } from '#libs/platform';
import {
  type Later,
  type NewWork,
  type Work,
  WorkCancelled,
  WorkIsHopeless,
  WorkLost,
  WorkQueue,
  WorkRunner,
  type WorkRunnerOptions,
  addWorkMetrics,
  later,
  workTable,
} from '#libs/work';
import { TestDatabase, waitFor } from '#test/environment';

type Doing = (work: Work<object>) => Promise<Later | void>;
type Options = Partial<WorkRunnerOptions<object>> & { queue: WorkQueue<object> };

const logLines: string[] = [];
const logger = new Logger('test', { write: (line) => void logLines.push(line) }, 'warn');
let test: TestDatabase;
let database: Database;

/** One process's share of a queue. */
class Runner extends WorkRunner<object> {
  constructor(
    options: Options,
    private readonly doing: Doing,
  ) {
    super({ database, logger, ...options });
  }

  protected override handle(work: Work<object>): Promise<Later | void> {
    return this.doing(work);
  }
}

beforeAll(async () => {
  test = await TestDatabase.create();
  await withClient(test.url('gateway_owner'), (client) => client.query(workTable));
  database = await test.service('gateway');
});
afterAll(() => test.drop());

let queue: WorkQueue<object>;
let done: string[];
beforeEach(async () => {
  for (const table of ['work', 'work_turn', 'work_credit']) {
    await database.query(`delete from ${table}`);
  }
  queue = new WorkQueue({ name: 'calls', quantum: 10 });
  done = [];
  logLines.length = 0;
});

const note: Doing = async ({ name }) => void done.push(name);
const runner = (doing: Doing = note, options: Partial<Options> = {}) =>
  new Runner({ queue, ...options }, doing);
const add = (name: string, more: Partial<NewWork<object>> = {}) =>
  database.transaction((transaction) => queue.add(transaction, { name, payload: {}, ...more }));
const addMany = (accountId: string, prefix: string, count: number, more = {}) =>
  database.transaction((transaction) =>
    queue.addAll(
      transaction,
      Array.from({ length: count }, (_, n) => ({
        name: `${prefix} ${n}`,
        payload: {},
        accountId,
        ...more,
      })),
    ),
  );
/** Lets time pass for every piece of work, by the database's clock. */
const pass = (seconds: number) =>
  database.query(
    `update work set until = until - $1 * interval '1 s' where state in ('waiting', 'claimed')`,
    [seconds],
  );
const rows = () =>
  database.query<{ name: string; state: string; tries: number; reason: string | null }>(
    'select name, state, tries, reason from work order by position',
  );
const endings: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(endings.splice(0).map((end) => end()));
});
/** A process that claims one work item and then dies. */
const claimAndDie = async (options: Partial<Options> = {}): Promise<void> => {
  const { begun, end, doing } = held();
  const running = runner(doing, { ...options, concurrency: 1 }).runOnce();
  endings.push(() => {
    end.resolve();
    return running;
  });
  await begun;
};
/** A handler that starts and waits until it is told to finish. */
const held = () => {
  const begun = Promise.withResolvers<Work<object>>();
  const end = Promise.withResolvers<Later | void>();
  const doing: Doing = (work) => {
    begun.resolve(work);
    return end.promise;
  };
  return { begun: begun.promise, end, doing };
};

describe('work', () => {
  it('is done once, after the transaction that added it, and not after a rollback', async () => {
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

  it('work with the name of waiting work is not added again; once done, it may be', async () => {
    expect([await add('one'), await add('one')]).toEqual([true, false]);
    await runner().runOnce();
    expect(await add('one')).toBe(true);
  });

  it('is shared by processes, each item done by one of them', async () => {
    const runners = Array.from({ length: 4 }, () => runner(note, { concurrency: 8 }));
    await Promise.all([newId(), newId(), newId()].map((account) => addMany(account, account, 100)));
    await Promise.all(runners.map((one) => one.runOnce()));
    expect(done).toHaveLength(300);
    expect(new Set(done).size).toBe(300);
    expect(await rows()).toEqual([]);
  });

  it('work of a dead process is done by another when its lease ends', async () => {
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

  it('work of a paused process is finished only by another', async () => {
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

  it('keeps its lease while it is being done', async () => {
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

  it('and its effect happen together or not at all', async () => {
    await add('both');
    let tries = 0;
    const both: Doing = (work) =>
      database.transaction(async (transaction) => {
        await work.finish(transaction);
        if (++tries === 1) throw new Error('after the end');
      });
    const calls = runner(both, { backOffMs: [0] });
    // Whether the pause of 0 ms is over when it looks for more is up to the clock.
    await waitFor('the second try', async () => {
      await calls.runOnce();
      return tries === 2;
    });
    expect(await rows()).toEqual([]);
  });

  it('work that failed is retried after growing pauses, then dead with an alarm, and can be redriven', async () => {
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
    expect(await queue.listDead(database)).toMatchObject([
      { name: 'hard', reason: 'Error: not now', tries: 3 },
    ]);
    expect(await add('hard')).toBe(false);
    isBroken = false;
    expect(await queue.redrive(database, 'hard')).toBe(true);
    await hard.runOnce();
    expect(await rows()).toEqual([]);
  });

  it('work that is hopeless is dead at once and can be discarded', async () => {
    const hopeless = runner(async () => {
      throw new WorkIsHopeless('no such order');
    });
    await add('hopeless');
    await hopeless.runOnce();
    expect(await rows()).toMatchObject([{ name: 'hopeless', state: 'dead', tries: 1 }]);
    expect(await queue.discard(database, 'hopeless')).toBe(true);
    expect(await rows()).toEqual([]);
  });

  it('an item that kills its process each time is abandoned after as many attempts as one that fails', async () => {
    await add('poison');
    for (let death = 0; death < 2; death += 1) {
      await claimAndDie({ triesMax: 2 });
      await pass(60);
    }
    await runner(note, { triesMax: 2 }).runOnce();
    expect(done).toEqual([]);
    expect(await rows()).toMatchObject([{ name: 'poison', state: 'dead' }]);
  });

  it('work that exceeds its time is a failed attempt, and its handler finishes nothing', async () => {
    await add('endless');
    const endless = held();
    await runner(endless.doing, { timeLimitMs: 50 }).runOnce();
    expect(await rows()).toMatchObject([{ state: 'waiting', tries: 1 }]);
    const work = await endless.begun;
    expect(work.signal.aborted).toBe(true);
    const finishing = database.transaction((transaction) => work.finish(transaction));
    await expect(finishing).rejects.toBeInstanceOf(WorkLost);
  });

  it('work that is postponed returns at its time, and no attempt is counted', async () => {
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

  it('may be added for later', async () => {
    await add('tomorrow', { delaySeconds: 86_400 });
    await runner().runOnce();
    expect(done).toEqual([]);
    await pass(86_400);
    await runner().runOnce();
    expect(done).toEqual(['tomorrow']);
  });

  it('work that is requested while it is running runs once more; waiting or dead work is due at once', async () => {
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
});

describe('accounts', () => {
  const accounts = () => [newId(), newId()] as const;
  /** The first items that a single worker handles. */
  async function firstOf(count: number, doing: Doing = note): Promise<string[]> {
    const one = runner(
      async (work) => {
        await doing(work);
        if (done.length === count) void one.stop();
      },
      { concurrency: 1 },
    );
    await one.runOnce();
    return done.slice(0, count);
  }
  const countOf = (names: string[], prefix: string) =>
    names.filter((name) => name.startsWith(prefix)).length;

  it('share a queue 50:50, however much more one of them has waiting', async () => {
    const [much, little] = accounts();
    await addMany(much, 'much', 2_000);
    await addMany(little, 'little', 50);
    const first = await firstOf(100);
    // A turn is worth ten pieces.
    expect(Math.abs(countOf(first, 'much') - countOf(first, 'little'))).toBeLessThanOrEqual(10);
  });

  it('share it by cost, not by pieces', async () => {
    const [large, small] = accounts();
    await addMany(large, 'large', 200, { cost: 7 });
    await addMany(small, 'small', 1_000, { cost: 2 });
    const first = await firstOf(360);
    const costs = [countOf(first, 'large') * 7, countOf(first, 'small') * 2];
    expect(Math.abs(costs[0] - costs[1])).toBeLessThanOrEqual(20);
    await expect(add('huge', { cost: 11 })).rejects.toThrow(RangeError);
  });

  it('are not held back by their own postponed work', async () => {
    const [parked, other] = accounts();
    await addMany(parked, 'parked', 500, { delaySeconds: 600 });
    await addMany(other, 'other', 100);
    await addMany(parked, 'now', 20);
    const first = await firstOf(40);
    expect(countOf(first, 'now')).toBe(20);
  });

  it('with small jobs go first, and leave every fifth turn to the others', async () => {
    const [small, large] = accounts();
    await addMany(large, 'large', 200, { cost: 10 });
    await addMany(small, 'small', 200, { cost: 10, lane: 'fast' });
    const first = await firstOf(50);
    expect([countOf(first, 'small'), countOf(first, 'large')]).toEqual([40, 10]);
    expect(first.slice(0, 4).every((name) => name.startsWith('small'))).toBe(true);
  });

  it('that are erased leave no work, and running work is not completed', async () => {
    const [gone, stays] = accounts();
    await addMany(gone, 'gone', 2);
    const first = held();
    const running = runner(first.doing, { concurrency: 1 }).runOnce();
    const work = await first.begun;
    await addMany(stays, 'stays', 1);
    await database.transaction((transaction) => queue.forget(transaction, gone));
    const finishing = database.transaction((transaction) => work.finish(transaction));
    await expect(finishing).rejects.toBeInstanceOf(WorkLost);
    first.end.resolve();
    await running;
    expect((await rows()).every(({ name }) => name.startsWith('stays'))).toBe(true);
  });
});

describe('a group', () => {
  const cancel = (group: string) =>
    database.transaction((transaction) => queue.cancel(transaction, group));

  it('that is cancelled stops where it is running, counts until it has ended, and does not return', async () => {
    const [group, other] = [newId(), newId()];
    await addMany(newId(), 'cancelled', 3, { group });
    await addMany(newId(), 'other', 1, { group: other });
    const told: unknown[] = [];
    const one = runner(
      async (work) => {
        if (work.group === other) return void done.push(work.name);
        const abort = Promise.withResolvers<void>();
        work.signal.addEventListener('abort', () => abort.resolve());
        const cancelling = cancel(group);
        await abort.promise;
        told.push(work.signal.reason);
        expect(await cancelling).toEqual({ removed: 2, marked: 1 });
        told.push((await queue.remaining(database, group)).pieces);
        await database.transaction((transaction) => work.finish(transaction));
      },
      { concurrency: 1 },
    );
    await one.runOnce();
    expect(told).toEqual([expect.any(WorkCancelled), 1]);
    expect((await queue.remaining(database, group)).pieces).toBe(0);
    expect(done).toEqual(['other 0']);
    expect(await rows()).toEqual([]);
  });

  it('work that is cancelled in another process stops when its leases are renewed', async () => {
    const group = newId();
    await addMany(newId(), 'far', 1, { group });
    const far = held();
    const running = runner(far.doing, { leaseMs: 1_000 }).runOnce();
    const { signal } = await far.begun;
    const elsewhere = new WorkQueue<object>({ name: 'calls' });
    await database.transaction((transaction) => elsewhere.cancel(transaction, group));
    await waitFor('the signal', () => signal.aborted);
    expect(signal.reason).toBeInstanceOf(WorkCancelled);
    far.end.resolve(later(0));
    await running;
    await runner().runOnce();
    expect([done, await rows()]).toEqual([[], []]);
  });

  it('work that is cancelled ends with its process', async () => {
    const group = newId();
    await addMany(newId(), 'orphan', 1, { group });
    await claimAndDie();
    await cancel(group);
    await pass(60);
    await runner().runOnce();
    expect([done, await rows()]).toEqual([[], []]);
  });

  it('reports how much of it is left, and its progress', async () => {
    const group = newId();
    await addMany(newId(), 'chunk', 3, { group, cost: 10 });
    await addMany(newId(), 'other', 3);
    const one = runner(
      async (work) => {
        if (done.length > 0) return later(60);
        await work.saveProgress(database, 4);
        if (work.name === 'chunk 2') done.push(work.name);
        return work.name === 'chunk 2' ? undefined : later(60);
      },
      { concurrency: 1 },
    );
    await one.runOnce();
    const left = await queue.remaining(database, group);
    expect(left).toEqual({ pieces: 2, cost: 20, done: 8, dead: 0 });
  });
});

describe('a runner', () => {
  it('is woken by work added in its process, once that is committed', async () => {
    let wakes = 0;
    runner().wakeBy(() => void wakes++);
    await database.transaction(async (transaction) => {
      await queue.add(transaction, { name: 'new', payload: {} });
      expect(wakes).toBe(0);
    });
    expect(wakes).toBe(1);
  });

  it('starts work as it arrives while it has room', async () => {
    await add('slow');
    const slow = held();
    const running = runner(async (work) => (work.name === 'slow' ? slow.doing(work) : note(work)), {
      concurrency: 2,
    }).runOnce();
    await slow.begun;
    await add('new');
    await waitFor('the new one', () => done.length === 1);
    const elsewhere = new WorkQueue<object>({ name: 'calls' });
    await database.transaction((transaction) =>
      elsewhere.add(transaction, { name: 'of another process', payload: {} }),
    );
    await waitFor('the other one', () => done.length === 2);
    slow.end.resolve();
    await running;
  });

  it('that stops claims no more, and returns its work for another', async () => {
    await addMany(newId(), 'work', 3);
    const first = held();
    const stopping = runner(first.doing, { concurrency: 1 });
    const running = stopping.runOnce();
    const { signal } = await first.begun;
    const stopped = stopping.stop();
    expect(signal.aborted).toBe(true);
    first.end.reject(new Error('interrupted'));
    await Promise.all([running, stopped]);
    await stopping.runOnce();
    expect((await rows()).map(({ tries }) => tries)).toEqual([0, 0, 0]);
    await runner().runOnce();
    expect(done).toHaveLength(3);
  });

  it('claims nothing while its queue is paused, for an hour at most', async () => {
    await add('paused');
    await queue.pause(database, 3_600);
    await runner().runOnce();
    expect(done).toEqual([]);
    await queue.pause(database, 0);
    await runner().runOnce();
    expect(done).toEqual(['paused']);
    await expect(queue.pause(database, 3_601)).rejects.toThrow(RangeError);
  });

  it('counts waiting, claimed and dead work, and how late the oldest is', async () => {
    await add('dead');
    await runner(async () => {
      throw new WorkIsHopeless('no');
    }).runOnce();
    await add('due');
    await add('not due', { delaySeconds: 60 });
    await database.query(`update work set until = until - interval '1 h' where name = 'due'`);
    const metrics = new Metrics({ process: false });
    addWorkMetrics(metrics, database);
    const text = await metrics.text();
    expect(text).toContain('dds_work_items{queue="calls",state="waiting"} 2');
    expect(text).toContain('dds_work_items{queue="calls",state="dead"} 1');
    expect(text).toContain('dds_work_items{queue="calls",state="claimed"} 0');
    expect(text).toMatch(/dds_work_late_seconds\{queue="calls"\} 36\d\d/);
  });
});
