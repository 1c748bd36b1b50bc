import { describe, expect, it } from '@jest/globals';
import { newId } from '#libs/platform';
import { WorkCancelled, WorkLost, WorkQueue, later } from '#libs/work';
import { waitFor } from '#test/environment';
import {
  type Doing,
  add,
  addMany,
  claimAndDie,
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

describe('accounts', () => {
  const accounts = () => [newId(), newId()] as const;
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

  it('accounts share a queue 50:50, even if much more work of one account is waiting', async () => {
    const [much, little] = accounts();
    await addMany(much, 'much', 2_000);
    await addMany(little, 'little', 50);
    const first = await firstOf(100);
    // A turn allows ten items.
    expect(Math.abs(countOf(first, 'much') - countOf(first, 'little'))).toBeLessThanOrEqual(10);
  });

  it('accounts share a queue by cost, not by the number of items', async () => {
    const [large, small] = accounts();
    await addMany(large, 'large', 200, { cost: 7 });
    await addMany(small, 'small', 1_000, { cost: 2 });
    const first = await firstOf(360);
    const costs = [countOf(first, 'large') * 7, countOf(first, 'small') * 2];
    expect(Math.abs(costs[0] - costs[1])).toBeLessThanOrEqual(20);
    await expect(add('huge', { cost: 11 })).rejects.toThrow(RangeError);
  });

  it('accounts are not delayed by their own postponed work', async () => {
    const [parked, other] = accounts();
    await addMany(parked, 'parked', 500, { delaySeconds: 600 });
    await addMany(other, 'other', 100);
    await addMany(parked, 'now', 20);
    const first = await firstOf(40);
    expect(countOf(first, 'now')).toBe(20);
  });

  it('accounts in the fast lane go first, and leave every fifth turn to the others', async () => {
    const [small, large] = accounts();
    await addMany(large, 'large', 200, { cost: 10 });
    await addMany(small, 'small', 200, { cost: 10, lane: 'fast' });
    const first = await firstOf(50);
    expect([countOf(first, 'small'), countOf(first, 'large')]).toEqual([40, 10]);
    expect(first.slice(0, 4).every((name) => name.startsWith('small'))).toBe(true);
  });

  it('after its erasure, an account has no work, and running work is not completed', async () => {
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

  it('when a group is cancelled, its running work is aborted, counts until it has ended, and is not repeated', async () => {
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
        told.push(await queue.remaining(database, group));
        await database.transaction((transaction) => work.finish(transaction));
      },
      { concurrency: 1 },
    );
    await one.runOnce();
    expect(told).toEqual([expect.any(WorkCancelled), 1]);
    expect(await queue.remaining(database, group)).toBe(0);
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

  it('cancelled work of a killed process is removed, and not repeated', async () => {
    const group = newId();
    await addMany(newId(), 'orphan', 1, { group });
    await claimAndDie();
    await cancel(group);
    await pass(60);
    await runner().runOnce();
    expect([done, await rows()]).toEqual([[], []]);
  });

  it('a group reports how much of its work is left', async () => {
    const group = newId();
    await addMany(newId(), 'chunk', 3, { group });
    await addMany(newId(), 'other', 3);
    await runner(async ({ name }) => (name === 'chunk 2' ? undefined : later(60))).runOnce();
    expect(await queue.remaining(database, group)).toBe(2);
  });
});
