import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, numberSeriesTable, takeNumber, withClient } from '#libs/database';
import { TestDatabase } from '#test/environment';

describe('number series', () => {
  let test: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    test = await TestDatabase.create();
    await withClient(test.url('account_owner'), (client) => client.query(numberSeriesTable));
    database = await test.service('account');
  });
  afterAll(() => test.drop());

  const take = (series: string) => database.transaction((t) => takeNumber(t, series));

  it('a series has no gap and no duplicate, despite rollbacks and concurrent use', async () => {
    const taken: number[] = [];
    const takers = Array.from({ length: 40 }, async (_, n) => {
      if (n % 3 !== 0) return void taken.push(await take('2026'));
      const rolledBack = database.transaction(async (transaction) => {
        await takeNumber(transaction, '2026');
        throw new Error('no');
      });
      await expect(rolledBack).rejects.toThrow('no');
    });
    await Promise.all(takers);
    expect(taken.toSorted((a, b) => a - b)).toEqual(taken.map((_, index) => index + 1));
  });

  it('each series counts separately', async () => {
    expect([await take('a'), await take('b'), await take('a')]).toEqual([1, 1, 2]);
  });
});
