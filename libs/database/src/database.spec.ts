import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SCHEMA_SERVICES, type Database } from '#libs/database';
import { TestDatabase } from '#libs/testing';

describe('database', () => {
  let test: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    test = await TestDatabase.create();
    database = await test.service('account');
  });
  afterAll(() => test.drop());

  it('S114: a service role can create nothing and sees no other schema', async () => {
    for (const service of SCHEMA_SERVICES) {
      const own = await test.service(service);
      await expect(own.query('create table intruder (a int)')).rejects.toThrow(/permission denied/);
      for (const other of SCHEMA_SERVICES.filter((name) => name !== service)) {
        await expect(own.query(`select * from ${other}.migrations`)).rejects.toThrow(
          /permission denied/,
        );
      }
    }
  });

  it('work after the commit runs once after a commit and never after a rollback', async () => {
    const seen: string[] = [];
    await database.transaction(async (transaction) => {
      transaction.afterCommit(() => seen.push('committed'));
      expect(seen).toEqual([]);
    });
    const rolledBack = database.transaction(async (transaction) => {
      transaction.afterCommit(() => seen.push('rolled back'));
      throw new Error('no');
    });
    await expect(rolledBack).rejects.toThrow('no');
    expect(seen).toEqual(['committed']);
  });

  it('a statement that comes while a transaction is being rolled back is refused, not run on its own', async () => {
    let late: Promise<unknown> | undefined;
    const failed = database.transaction(async (transaction) => {
      const slow = transaction.query('select pg_sleep(0.05)');
      late = slow
        .then(() => transaction.query('select 1'))
        .catch((error: unknown) => (error as Error).message);
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await late).toBe('the transaction is over');
  });

  it('a transaction that is over takes no statement', async () => {
    const kept = await database.transaction(async (transaction) => transaction);
    await expect(kept.query('select 1')).rejects.toThrow('the transaction is over');
  });
});
