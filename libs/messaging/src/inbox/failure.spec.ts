import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, withClient } from '#libs/database';
import { TestDatabase } from '#test/environment';
import { type FailureClass, classify, isOutsidePartitions, reasonOf } from './failure.js';

describe('failure classes', () => {
  let test: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    test = await TestDatabase.create();
    database = await test.service('entitlement');
  });
  afterAll(() => test.drop());

  const failureOf = async (work: () => Promise<unknown>): Promise<unknown> => {
    try {
      await work();
    } catch (error) {
      return error;
    }
    throw new Error('it did not fail');
  };
  const raise = (state: string) =>
    database.query(`do $$ begin raise exception 'x' using errcode = '${state}'; end $$`);

  it.each<[string, FailureClass]>([
    ['08006', 'pause'],
    ['53300', 'pause'],
    ['57P01', 'pause'],
    ['58030', 'pause'],
    ['25006', 'pause'],
    ['40001', 'transient'],
    ['40P01', 'transient'],
    ['57014', 'transient'],
    ['55P03', 'transient'],
    ['P0001', 'transient'],
    ['22001', 'permanent'],
    ['23505', 'permanent'],
    ['42P01', 'permanent'],
  ])("the server's %s is %s", async (state, expected) => {
    const error = await failureOf(() => raise(state));
    expect(classify(error)).toBe(expected);
    expect(classify(new Error('a service said so', { cause: error }))).toBe(expected);
    expect(reasonOf(error)).toContain(`SQLSTATE ${state}`);
  });

  it('a connection that ends or cannot be opened pauses delivery', async () => {
    const ended = await failureOf(() =>
      database.transaction(async (transaction) => {
        const [{ pid }] = await transaction.query<{ pid: number }>(
          'select pg_backend_pid() as pid',
        );
        await withClient(test.url(), (client) =>
          client.query('select pg_terminate_backend($1)', [pid]),
        );
        await transaction.query('select 1');
      }),
    );
    expect(classify(ended)).toBe('pause');
    const refused = await failureOf(() =>
      withClient('postgres://nobody@127.0.0.1:1/none', async () => {}),
    );
    expect(classify(refused)).toBe('pause');
    expect(classify(new Error('a service said so', { cause: refused }))).toBe('pause');
    const unreached = Object.assign(new Error('connect ENETUNREACH'), { code: 'ENETUNREACH' });
    expect(classify(unreached)).toBe('pause');
  });

  it('a row without a matching partition is distinguished from a row that violates a constraint', async () => {
    const failWith = (options: string) =>
      failureOf(() => database.query(`do $$ begin raise exception 'x' using ${options}; end $$`));
    expect(isOutsidePartitions(await failWith(`errcode = '23514', table = 't'`))).toBe(true);
    const violated = await failWith(`errcode = '23514', constraint = 'c'`);
    expect(isOutsidePartitions(violated)).toBe(false);
    expect(isOutsidePartitions(new Error('a service said so', { cause: violated }))).toBe(false);
    expect(isOutsidePartitions(await failWith(`errcode = '23505', table = 't'`))).toBe(false);
    expect(isOutsidePartitions(new Error('x'))).toBe(false);
  });

  it('an ordinary error is temporary', () => {
    expect(classify(new TypeError('undefined is not a function'))).toBe('transient');
    expect(classify('text')).toBe('transient');
    expect(classify(undefined)).toBe('transient');
    const ownCause = new Error('x');
    ownCause.cause = ownCause;
    expect(classify(ownCause)).toBe('transient');
    expect([reasonOf('text'), reasonOf(new TypeError('x'))]).toEqual(['text', 'TypeError: x']);
  });
});
