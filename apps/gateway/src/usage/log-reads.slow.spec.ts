import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Database } from '#libs/database';
import { newId } from '#libs/platform';
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

/** Reads for this long. @returns the code of the refusal, if there is one. */
const read = async (accountId: string, seconds = 0) =>
  reads.query(accountId, 'select pg_sleep($1)', [seconds]).then(
    () => 'read',
    (fault: { code: string }) => fault.code,
  );

it('S102: an account whose reads were slow is refused until a minute has passed, but other accounts are not', async () => {
  reads = new LogReads(database);
  const [slow, other] = [newId(), newId()];
  for (let count = 0; count < 5; count++) expect(await read(slow, 60)).toBe('search_too_heavy');
  await expect(reads.query(slow, 'select 1', [])).rejects.toMatchObject({
    code: 'search_too_heavy',
    retryAfterSeconds: expect.closeTo(40, -1.7),
  });
  expect(await read(other)).toBe('read');
});

it('S102: accounts with slow reads leave room for other accounts', async () => {
  reads = new LogReads(database);
  const slow = Array.from({ length: 10 }, newId);
  const readAll = async (accountId: string) => {
    for (let count = 0; count < 4; count++) expect(await read(accountId, 0.6)).toBe('read');
  };
  for (const half of [slow.slice(0, 5), slow.slice(5)]) await Promise.all(half.map(readAll));
  const ends = slow.map(async (accountId) => read(accountId, 0.6));
  expect(await read(newId())).toBe('read');
  const refused = (await Promise.all(ends)).filter((end) => end !== 'read');
  expect(refused).toEqual(Array<string>(5).fill('service_unavailable'));
});
