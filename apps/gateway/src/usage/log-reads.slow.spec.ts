import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { Database } from '#libs/database';
import { MINUTE_MS, newId } from '#libs/platform';
import { TestDatabase } from '#test/environment';
import { LogReads } from './log-reads.js';

let test: TestDatabase;
let database: Database;
let reads: LogReads;

beforeAll(async () => {
  test = await TestDatabase.create();
  database = await test.service('gateway');
});
afterAll(() => test?.drop());

/** Reads with a quarter of the usual limits, for tests that wait for them. */
function quickReads(): LogReads {
  const quick = new LogReads(database);
  quick.limits.statementMs /= 4;
  quick.limits.minuteMs /= 4;
  quick.limits.turns.waitMaxMs /= 4;
  return quick;
}

const read = async (accountId: string, seconds = 0) =>
  reads.query(accountId, 'select pg_sleep($1)', [seconds]).then(
    () => 'read',
    (fault: { code: string }) => fault.code,
  );

it('S102: an account whose reads were slow is refused until a minute has passed, but other accounts are not', async () => {
  reads = quickReads();
  const [slow, other] = [newId(), newId()];
  // Five reads are enough if this process was idle during them.
  for (let count = 0; count < 8; count++) expect(await read(slow, 60)).toBe('search_too_heavy');
  await expect(reads.query(slow, 'select 1', [])).rejects.toMatchObject({
    code: 'search_too_heavy',
    retryAfterSeconds: expect.closeTo(45, -1.5),
  });
  expect(await read(other)).toBe('read');
  // A refusal waits for no other read.
  const running = [read(newId(), 0.2), read(newId(), 0.2)];
  expect(await Promise.race([...running, read(slow)])).toBe('search_too_heavy');
  await Promise.all(running);
});

it('S102: an account is not refused because this process was busy during its reads', async () => {
  reads = quickReads();
  // The server may be busy as well.
  reads.limits.statementMs = MINUTE_MS;
  const accountId = newId();
  for (let count = 0; count < 5; count++) {
    const reading = read(accountId, 0.1);
    await setImmediate();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 550);
    expect(await reading).toBe('read');
  }
  expect(await read(accountId)).toBe('read');
});

it('S102: the reads of an account without slow reads come before those of accounts with slow reads', async () => {
  reads = new LogReads(database);
  let nowMs = performance.now();
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const running: { accountId: string; end: () => void }[] = [];
  /** Begins a read for each account, and returns their order. Two run at a time, and each takes 300 ms. */
  const readAll = async (accounts: readonly string[]) => {
    const order: string[] = [];
    const all = accounts.map((accountId) =>
      reads.read(accountId, () => new Promise<void>((end) => running.push({ accountId, end }))),
    );
    while (order.length < accounts.length) {
      const count = Math.min(2, accounts.length - order.length);
      while (running.length < count) await sleep(1);
      nowMs += 300;
      for (const { accountId, end } of running.splice(0)) {
        order.push(accountId);
        end();
      }
    }
    await Promise.all(all);
    return order;
  };
  const slow = Array.from({ length: 10 }, newId);
  const quick = newId();
  await readAll(slow);
  const order = await readAll([...slow, quick]);
  clock.mockRestore();
  // Two reads had begun before it.
  expect(order.indexOf(quick)).toBeLessThan(4);
});

it('S102: a read is refused if it waits for too long, or if too many wait and its account had the slowest reads', async () => {
  reads = new LogReads(database);
  const slow = newId();
  await read(slow, 0.1);
  const running = [read(newId(), 0.2), read(newId(), 0.2)];
  const others = Array.from({ length: 50 }, () => read(newId()));
  const slowest = read(slow);
  for (let count = 0; count < 50; count++) others.push(read(newId()));
  expect(await Promise.race([slowest, ...running])).toBe('service_unavailable');
  expect(new Set(await Promise.all([...running, ...others]))).toEqual(new Set(['read']));

  reads = quickReads();
  const long = Array.from({ length: 10 }, () => read(newId(), 60));
  expect(await Promise.race([read(newId()), Promise.all(long)])).toBe('service_unavailable');
  await Promise.all(long);
});
