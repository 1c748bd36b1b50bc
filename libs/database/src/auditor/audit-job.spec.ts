import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  AuditJob,
  type Database,
  type InvariantSet,
  checkAllRows,
  withClient,
} from '#libs/database';
import { DAY_MS, Logger, MINUTE_MS } from '#libs/platform';
import { TestDatabase } from '#test/environment';

const ROUND_MS = 5 * MINUTE_MS;
const ROWS = 5_000;

/**
 * Reads the `moved` rows for a window, or all rows of a chunk. A `bad` row violates the invariant, and a chunk with a
 * `poison` row fails.
 */
const SET: InvariantSet = {
  scope: `looked_at as materialized (
    select id, bad, id / (case when poison and $1::float8 is null then 0 else 1 end) as read
    from audited_row where case when $1::float8 is null
      then id > coalesce($2::text, '0')::int and id <= coalesce($3::text, '1000000000')::int
      else moved end)`,
  invariants: [{ id: 'I0', statement: 'no row is bad', sql: 'select id from looked_at where bad' }],
  chunkEnd: `select id::text as key from audited_row where id > coalesce($1::text, '0')::int
    order by id limit 1 offset $2`,
};

const ROW_7 = 'select id from audited_row where bad and id = 7';

describe('audit job', () => {
  let test: TestDatabase;
  let database: Database;
  let auditor: Database;
  let looks: unknown[][];

  beforeAll(async () => {
    test = await TestDatabase.create();
    await withClient(test.url('account_owner'), (client) =>
      client.query(`create table audited_row (id int primary key, bad bool not null default false,
        moved bool not null default false, poison bool not null default false);
        insert into audited_row (id) select generate_series(1, ${ROWS})`),
    );
    database = await test.service('account');
    auditor = await test.auditor('account');
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    looks = [];
    await database.query('update audited_row set bad = false, moved = false, poison = false');
  });

  function newJob(): AuditJob {
    const query = (async (sql: string, parameters: unknown[]) => {
      if (parameters.length === 3) looks.push(parameters);
      return auditor.query(sql, parameters);
    }) as Database['query'];
    return new AuditJob({ query }, SET, new Logger('test', { write: () => {} }, 'error'));
  }
  const fullLooks = () => looks.filter(([windowMs]) => windowMs === null);

  it('checks everything at the start, in chunks, then only windows, and everything again once a day', async () => {
    const job = newJob();
    await job.runOnce(0);
    expect(fullLooks().map(([, from, to]) => [from, to])).toEqual([
      [null, '2001'],
      ['2001', '4002'],
      ['4002', null],
    ]);
    looks = [];
    for (let at = ROUND_MS; at < DAY_MS; at += ROUND_MS) await job.runOnce(at);
    expect(fullLooks()).toEqual([]);
    await job.runOnce(DAY_MS);
    expect(fullLooks()).toHaveLength(3);
    looks = [];
    await job.runOnce(DAY_MS + 3 * ROUND_MS);
    expect(fullLooks()).toHaveLength(3);
  });

  it('a stop ends a full pass after its current chunk', async () => {
    const job = newJob();
    await job.stop();
    await job.runOnce(0);
    expect(fullLooks()).toHaveLength(1);
  });

  it('an alarm of a window stays until a full pass clears it', async () => {
    const job = newJob();
    await job.runOnce(0);
    await database.query('update audited_row set bad = true, moved = true where id = 7');
    await job.runOnce(ROUND_MS);
    expect(job.violations.get('I0')).toBe(1);
    await database.query('update audited_row set bad = false');
    await job.runOnce(2 * ROUND_MS);
    expect(job.violations.get('I0')).toBe(1);
    await job.runOnce(2 * ROUND_MS + DAY_MS);
    expect(job.violations.get('I0')).toBeUndefined();
  });

  it('a full pass that lasts for hours keeps the alarms of windows about rows that it had read before', async () => {
    const job = newJob();
    await database.query('update audited_row set poison = true where id = 3000');
    await expect(job.runOnce(0)).rejects.toThrow('division by zero');
    await database.query('update audited_row set bad = true, moved = true where id = 7');
    await expect(job.runOnce(ROUND_MS)).rejects.toThrow('division by zero');
    await database.query('update audited_row set poison = false, moved = false');
    await job.runOnce(2 * ROUND_MS);
    expect(job.violations.get('I0')).toBe(1);
  });

  it('a check of all rows returns a row once, even if each chunk finds it', async () => {
    await database.query('update audited_row set bad = true where id in (7, 4500)');
    const everywhere = { id: 'I1', statement: 'row 7 is good', sql: ROW_7 };
    const set = { ...SET, invariants: [...SET.invariants, everywhere] };
    expect(await checkAllRows(auditor, set)).toEqual([
      { id: 'I0', rows: [{ id: 7 }, { id: 4500 }] },
      { id: 'I1', rows: [{ id: 7 }] },
    ]);
  });

  it('a full pass that fails does not stop windows, and continues at the chunk that failed', async () => {
    const job = newJob();
    await database.query('update audited_row set poison = true where id = 3000');
    await expect(job.runOnce(0)).rejects.toThrow('division by zero');
    await database.query('update audited_row set bad = true, moved = true where id = 7');
    await expect(job.runOnce(ROUND_MS)).rejects.toThrow('division by zero');
    expect(job.violations.get('I0')).toBe(1);
    await database.query('update audited_row set poison = false, bad = false');
    looks = [];
    await job.runOnce(2 * ROUND_MS);
    expect(fullLooks().map(([, from]) => from)).toEqual(['2001', '4002']);
  });
});
