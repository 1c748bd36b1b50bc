import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  Database,
  StatementTimeout,
  type Transaction,
  ownerRole,
  withClient,
} from '#libs/database';
import { TestDatabase, waitFor } from '#test/environment';

const KIB = 1024;
const MIB = 1024 * KIB;
const LINE = `${'x'.repeat(KIB - 1)}\n`;
const INTO = 'copy lines (line) from stdin';
/** About 64 MiB, more than the buffers between the two ends can hold. */
const LINES = 64 * KIB;
const OUT = `copy (select repeat('x', ${KIB - 1}) from generate_series(1, ${LINES})) to stdout`;
/** The upper bound of what the kernel's buffers for a loopback socket can absorb. */
const READ_AHEAD_MAX = 24 * MIB;

describe('COPY and time limits', () => {
  let test: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    test = await TestDatabase.create();
    await withClient(test.url(ownerRole('gateway')), (client) =>
      client.query('create table lines (line text check (length(line) > 0))'),
    );
    // The pool has one connection, so that the next statement runs on the connection that a test left behind.
    database = await open();
  });
  beforeEach(() => database.query('delete from lines'));
  afterAll(async () => {
    await database.close();
    await test.drop();
  });

  const open = (statementTimeoutMs?: number) =>
    Database.open({
      url: test.url('gateway'),
      applicationName: 'copy spec',
      poolSize: 1,
      statementTimeoutMs,
    });
  const processId = async () => {
    const [{ pid }] = await database.query<{ pid: number }>('select pg_backend_pid() as pid');
    return pid;
  };
  const count = async () => {
    const [{ count }] = await database.query<{ count: string }>('select count(*) from lines');
    return Number(count);
  };
  const waitsFor = (event: string) =>
    waitFor(`a server process that waits for ${event}`, () =>
      withClient(test.url(), async (client) => {
        const { rowCount } = await client.query(
          `select from pg_stat_activity where datname = current_database() and usename = 'gateway'
           and wait_event = $1 and state = 'active'`,
          [event],
        );
        return rowCount === 1;
      }),
    );
  const expectUsable = async (before: number) => {
    const answers = await database.transaction((transaction) =>
      Promise.all([1, 2].map((n) => transaction.query('select $1::int as n', [n]))),
    );
    expect(answers).toEqual([[{ n: 1 }], [{ n: 2 }]]);
    expect(await processId()).toBe(before);
  };

  it('rows are written and read back unchanged, wherever the pieces are split', async () => {
    const text = 'ünï\\tcode\na\n\\\\\n';
    const bytes = Buffer.from(text);
    const pieces = Array.from(bytes, (_, place) => bytes.subarray(place, place + 1));
    const out: Buffer[] = [];
    const rows = await database.transaction(async (transaction) => {
      const written = await transaction.copyIn(INTO, pieces);
      for await (const piece of transaction.copyOut('copy lines to stdout')) out.push(piece);
      // Statements of the same transaction see the rows, and can run concurrently afterwards.
      const [[{ count }]] = await Promise.all([
        transaction.query<{ count: string }>('select count(*) from lines'),
        transaction.query('select 1'),
      ]);
      return [written, Number(count)];
    });
    expect(rows).toEqual([3, 3]);
    expect(Buffer.concat(out).toString()).toBe(text);
  });

  it('zero rows can be copied in, and an empty table can be copied out', async () => {
    const out: Buffer[] = [];
    await database.transaction(async (transaction) => {
      expect(await transaction.copyIn(INTO, [])).toBe(0);
      for await (const piece of transaction.copyOut('copy lines to stdout')) out.push(piece);
    });
    expect(out).toEqual([]);
  });

  /**
   * Copies one line and then many more, while a trigger delays the first line until the source is no longer read.
   * @returns how many bytes the source had given by then, and the copy, which now continues.
   */
  async function copyInSlowly(first: string) {
    let given = 0;
    function* source() {
      yield first;
      for (given = first.length; given < LINES * KIB; given += LINE.length) yield LINE;
    }
    return withClient(test.url(), async (holder) => {
      await holder.query(`
        create or replace function gateway.wait() returns trigger language plpgsql as
          $$ begin perform pg_advisory_xact_lock_shared(71); return new; end $$;
        create trigger wait before insert on gateway.lines for each row execute function gateway.wait();
        select pg_advisory_lock(71)`);
      const copying = database.transaction((transaction) => transaction.copyIn(INTO, source()));
      copying.catch(() => {});
      await waitsFor('advisory');
      // The reader has stopped by now, so nothing more is accepted.
      const readAhead = await waitFor('the source to rest', async () => {
        const earlier = given;
        await waitsFor('advisory');
        return earlier === given ? given : undefined;
      });
      await holder.query('select pg_advisory_unlock(71); drop trigger wait on gateway.lines');
      return { readAhead, copying };
    });
  }

  it('a source of any length is read no faster than the server accepts it', async () => {
    const { readAhead, copying } = await copyInSlowly(LINE);
    expect(readAhead).toBeLessThan(READ_AHEAD_MAX);
    expect(await copying).toBe(LINES);
    expect(await count()).toBe(LINES);
  });

  it('a refusal by the server while the source waits is reported as the error, and the connection stays usable', async () => {
    const before = await processId();
    const { copying } = await copyInSlowly('\n');
    await expect(copying).rejects.toMatchObject({ code: '23514' });
    expect(await count()).toBe(0);
    await expectUsable(before);
  });

  it('the server sends no faster than the reader reads', async () => {
    let taken = 0;
    await database.snapshot(async (transaction) => {
      for await (const piece of transaction.copyOut(OUT)) {
        if (taken === 0) await waitsFor('ClientWrite');
        taken += piece.length;
      }
    });
    expect(taken).toBe(LINES * KIB);
  });

  it('a reader that stops early ends the statement, and the connection stays usable', async () => {
    const before = await processId();
    const left = new Error('enough');
    const reading = database.snapshot(async (transaction) => {
      for await (const piece of transaction.copyOut(OUT)) if (piece.length > 0) throw left;
    });
    await expect(reading).rejects.toBe(left);
    await expectUsable(before);
  });

  it('a reader that stops early without an exception breaks the transaction', async () => {
    const before = await processId();
    const reading = database.snapshot(async (transaction) => {
      for await (const piece of transaction.copyOut(OUT)) if (piece.length > 0) break;
    });
    await expect(reading).rejects.toThrow('the transaction was broken');
    await expectUsable(before);
  });

  it('a failing source leaves no row, and its error is thrown', async () => {
    const before = await processId();
    const fault = new Error('the file is cut');
    async function* source() {
      yield LINE;
      throw fault;
    }
    const copying = (transaction: Transaction) => transaction.copyIn(INTO, source());
    await expect(database.transaction(copying)).rejects.toBe(fault);
    expect(await count()).toBe(0);
    await expectUsable(before);
  });

  it.each([
    ['at once', 'copy no_such_table from stdin', '42P01'],
    ['between the rows', INTO, '23514'],
  ])(
    'a refusal by the server %s is reported as the error, and the connection stays usable',
    async (_, sql, code) => {
      const before = await processId();
      function* source() {
        yield '\n';
        for (let n = 0; n < LINES; n++) yield LINE;
      }
      const copying = (transaction: Transaction) => transaction.copyIn(sql, source());
      await expect(database.transaction(copying)).rejects.toMatchObject({ code });
      expect(await count()).toBe(0);
      await expectUsable(before);
    },
  );

  it('a COPY during another statement is rejected', async () => {
    const both = database.transaction((transaction) =>
      Promise.all([transaction.query('select 1'), transaction.copyIn(INTO, [LINE])]),
    );
    await expect(both).rejects.toThrow('a COPY begins when no other statement is running');
    expect(await count()).toBe(0);
  });

  it('a COPY that its reader abandons fails its transaction, and frees the connection', async () => {
    const forgotten = database.snapshot(async (transaction) => {
      await transaction.copyOut(OUT).next();
    });
    await expect(forgotten).rejects.toThrow('a statement that was not awaited');
    expect(await count()).toBe(0);
  });

  it('a statement over the limit of its transaction fails with StatementTimeout, and the connection stays usable', async () => {
    const before = await processId();
    const slow = database.snapshot(async (transaction) => {
      await transaction.limitStatements(20);
      await transaction.query('select pg_sleep(3600)');
    });
    await expect(slow).rejects.toThrow(StatementTimeout);
    await expectUsable(before);
    // The limit applied only to the transaction.
    expect(await database.query('show statement_timeout')).toEqual([{ statement_timeout: '15s' }]);
  });

  it('a COPY over its limit also fails with StatementTimeout', async () => {
    const before = await processId();
    const slow = database.snapshot(async (transaction) => {
      await transaction.limitStatements(20);
      const sql = 'copy (select pg_sleep(3600)) to stdout';
      for await (const piece of transaction.copyOut(sql)) expect(piece).toBeUndefined();
    });
    await expect(slow).rejects.toThrow(StatementTimeout);
    await expectUsable(before);
  });

  it('a separate pool has its own limit', async () => {
    const heavy = await open(1_000);
    await expect(heavy.query('select pg_sleep(3600)')).rejects.toThrow(StatementTimeout);
    expect(await heavy.query('select 1 as one')).toEqual([{ one: 1 }]);
    await heavy.close();
  });

  it.each([0, -1, NaN])('%p is not a valid limit', async (limitMs) => {
    const limited = database.transaction((transaction) => transaction.limitStatements(limitMs));
    await expect(limited).rejects.toThrow(RangeError);
  });
});
