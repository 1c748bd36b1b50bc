import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  ClaimLost,
  type Database,
  WorkIsHopeless,
  type WorkItem,
  WorkQueue,
  type WorkQueueOptions,
  withClient,
  workQueueTable,
} from '#libs/database';
import { Logger, MINUTE_MS, SECOND_MS } from '#libs/platform';
import { TestClock, TestDatabase } from '#test/environment';

interface Call {
  order: number;
}

describe('work queue', () => {
  let test: TestDatabase;
  let database: Database;
  let clock: TestClock;
  let done: string[];
  const logLines: string[] = [];
  const logger = new Logger('test', { write: (line) => void logLines.push(line) }, 'error');

  beforeAll(async () => {
    test = await TestDatabase.create();
    await withClient(test.url('account_owner'), (client) => client.query(workQueueTable));
    database = await test.service('account');
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    await database.query('delete from work_item');
    clock = new TestClock();
    done = [];
    logLines.length = 0;
  });

  function queueOf(options: Partial<WorkQueueOptions<Call>> = {}): WorkQueue<Call> {
    const handle = async ({ name }: WorkItem<Call>) => void done.push(name);
    return new WorkQueue({ name: 'calls', database, clock, logger, handle, ...options });
  }
  const add = (queue: WorkQueue<Call>, name: string, delayMs?: number) =>
    database.transaction((transaction) => queue.add(transaction, name, { order: 1 }, delayMs));

  it('work is done once, after the transaction that added it, and not when it is rolled back', async () => {
    const queue = queueOf();
    const rolledBack = database.transaction(async (transaction) => {
      await queue.add(transaction, 'lost', { order: 1 });
      throw new Error('no');
    });
    await expect(rolledBack).rejects.toThrow('no');
    expect(await add(queue, 'kept')).toBe(true);
    await queue.runOnce();
    await queue.runOnce();
    expect(done).toEqual(['kept']);
  });

  it('work of a name that waits is not added again; once done it may come again', async () => {
    const queue = queueOf();
    expect([await add(queue, 'one'), await add(queue, 'one')]).toEqual([true, false]);
    await queue.runOnce();
    expect(await add(queue, 'one')).toBe(true);
  });

  it('several processes share a queue, and each piece of work is done by one', async () => {
    const queues = [queueOf(), queueOf(), queueOf()];
    const names = Array.from({ length: 60 }, (_, n) => `work ${n}`);
    for (const name of names) await add(queues[0], name);
    await Promise.all(queues.map((queue) => queue.runOnce()));
    expect(done.toSorted()).toEqual(names.toSorted());
  });

  it('delayed work waits for its time', async () => {
    const queue = queueOf();
    await add(queue, 'later', MINUTE_MS);
    await queue.runOnce();
    expect(done).toEqual([]);
    clock.advance(MINUTE_MS);
    await queue.runOnce();
    expect(done).toEqual(['later']);
  });

  it('failed work is tried again after growing pauses, then dead with an alarm, and can be redriven', async () => {
    let isBroken = true;
    const tried: number[] = [];
    const handle = async ({ attempts }: WorkItem) => {
      tried.push(attempts);
      if (isBroken) throw new Error('not now');
    };
    const queue = queueOf({ handle, backOffMs: [SECOND_MS, MINUTE_MS] });
    await add(queue, 'hard');
    await queue.runOnce();
    await queue.runOnce();
    clock.advance(SECOND_MS);
    await queue.runOnce();
    clock.advance(SECOND_MS);
    await queue.runOnce();
    expect(tried).toEqual([1, 2]);
    clock.advance(MINUTE_MS);
    await queue.runOnce();
    expect(tried).toEqual([1, 2, 3]);
    expect(logLines.map((line) => JSON.parse(line).msg)).toEqual(['work of calls is dead']);
    expect(await queue.listDead()).toMatchObject([{ name: 'hard', reason: 'Error: not now' }]);
    expect(await queue.count()).toMatchObject({ waiting: 0, dead: 1 });
    expect(await add(queue, 'hard')).toBe(false);
    isBroken = false;
    expect(await queue.redrive('hard')).toBe(true);
    await queue.runOnce();
    expect(await queue.count()).toMatchObject({ waiting: 0, dead: 0 });
  });

  it('hopeless work is dead at once and can be discarded', async () => {
    const handle = async () => {
      throw new WorkIsHopeless('no such order');
    };
    const queue = queueOf({ handle });
    await add(queue, 'hopeless');
    await queue.runOnce();
    expect(await queue.listDead()).toMatchObject([{ name: 'hopeless', attempts: 1 }]);
    expect(await queue.discard('hopeless')).toBe(true);
    expect(await queue.listDead()).toEqual([]);
  });

  it('one that fails keeps no other waiting', async () => {
    const handle = async ({ name }: WorkItem) => {
      if (name === 'bad') throw new Error('bad');
      done.push(name);
    };
    const queue = queueOf({ handle, concurrency: 1 });
    for (const name of ['bad', 'good', 'better']) await add(queue, name);
    await queue.runOnce();
    expect(done).toEqual(['good', 'better']);
  });

  it('whoever outlives his claim finishes nothing: another has the work', async () => {
    const lost: unknown[] = [];
    const slow = queueOf({
      claimMs: 0,
      concurrency: 1,
      handle: async (item) => {
        if (item.attempts > 1) return void done.push('other');
        await queueOf({ handle: async () => void done.push('other') }).runOnce();
        const finished = database.transaction((transaction) => slow.finish(transaction, item));
        await finished.catch((error: unknown) => lost.push(error));
      },
    });
    await add(slow, 'long');
    await slow.runOnce();
    expect(done).toEqual(['other']);
    expect(lost[0]).toBeInstanceOf(ClaimLost);
  });

  it('an effect and the end of its work happen together or not at all', async () => {
    let tries = 0;
    const queue = queueOf({
      backOffMs: [0],
      handle: async (item) => {
        await database.transaction(async (transaction) => {
          await queue.finish(transaction, item);
          if (++tries === 1) throw new Error('after the end');
        });
      },
    });
    await add(queue, 'both');
    await queue.runOnce();
    expect(tries).toBe(2);
    expect(await queue.count()).toEqual({ waiting: 0, dead: 0, lateMs: 0 });
  });
});
