import { describe, expect, it } from '@jest/globals';
import { Metrics, newId } from '#libs/platform';
import { WorkIsHopeless, WorkLost, WorkQueue, addWorkMetrics } from '#libs/work';
import { waitFor } from '#test/environment';
import {
  add,
  addMany,
  database,
  done,
  held,
  note,
  pass,
  queue,
  rows,
  runner,
  useQueue,
} from './queue-under-test.contract.js';

useQueue();

describe('a runner', () => {
  it('a runner starts work added in its process as soon as the transaction has committed', async () => {
    let wakes = 0;
    runner().wakeBy(() => void wakes++);
    await database.transaction(async (transaction) => {
      await queue.add(transaction, { name: 'new', payload: {} });
      expect(wakes).toBe(0);
    });
    expect(wakes).toBe(1);
  });

  it('a runner starts arriving work while it has room', async () => {
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

  it('a runner repeats work that became due again while it looked for more', async () => {
    await add('failing');
    const first = held();
    let claims = 0;
    const query = async <T>(sql: string, parameters?: unknown[]): Promise<T[]> => {
      const found = await database.query<T>(sql, parameters);
      if (sql.includes('claim_work') && ++claims === 2) {
        first.end.reject(new Error('not yet'));
        await waitFor('its return', async () => (await rows())[0].state === 'waiting');
      }
      return found;
    };
    await runner((work) => (claims < 2 ? first.doing(work) : note(work)), {
      database: { query, transaction: database.transaction.bind(database) },
      backOffMs: [0],
    }).runOnce();
    expect(done).toEqual(['failing']);
  });

  it('a runner that claims an item again, after its lease has ended unnoticed, ends the first attempt and controls the second', async () => {
    await add('twice');
    const attempts = [held(), held()];
    let count = 0;
    const one = runner(
      (work) => (work.name === 'twice' ? attempts[count++].doing(work) : note(work)),
      { concurrency: 2 },
    );
    const running = one.runOnce();
    const [first, second] = attempts;
    const lost = await first.begun;
    await pass(60);
    const { signal } = await second.begun;
    expect(lost.signal.reason).toBeInstanceOf(WorkLost);
    await add('when there is room');
    first.end.resolve();
    await waitFor('the end of the first attempt', () => done.length === 1);
    const stopped = one.stop();
    expect(signal.aborted).toBe(true);
    second.end.resolve();
    await Promise.all([running, stopped]);
  });

  it('a runner that stops claims no more work, and returns its work to the queue', async () => {
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

  it('a runner claims nothing while its queue is paused, which is at most an hour', async () => {
    await add('paused');
    await queue.pause(database, 3_600);
    await runner().runOnce();
    expect(done).toEqual([]);
    await queue.pause(database, 0);
    await runner().runOnce();
    expect(done).toEqual(['paused']);
    await expect(queue.pause(database, 3_601)).rejects.toThrow(RangeError);
  });

  it('metrics report waiting, claimed and dead work, and how late the oldest item is', async () => {
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
