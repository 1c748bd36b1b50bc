import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, RollPartitionsJob, withClient } from '#libs/database';
import { DAY_MS, newId } from '#libs/platform';
import { TestClock, TestDatabase } from '#test/environment';

const NAMES = `
  select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = 'leases'::regclass order by 1`;

describe('rolling partitions', () => {
  let test: TestDatabase;
  let database: Database;
  let maintenance: Database;

  beforeAll(async () => {
    test = await TestDatabase.create();
    database = await test.service('entitlement');
    maintenance = await test.maintenance('entitlement');
  });
  afterAll(() => test.drop());

  const partitions = async () =>
    (await maintenance.query<{ name: string }>(NAMES)).map(({ name }) => name);
  const roll = (clock: TestClock) => new RollPartitionsJob(maintenance, clock).runOnce();

  it('partitions exist two months ahead, and expired ones are dropped', async () => {
    const before = await partitions();
    expect(before.length).toBeGreaterThanOrEqual(4);
    const clock = new TestClock(new Date());
    for (let month = 0; month < 12; month++) {
      clock.advance(30 * DAY_MS);
      await roll(clock);
    }
    const after = await partitions();
    const ahead = new Date(clock.now());
    ahead.setUTCDate(1);
    ahead.setUTCMonth(ahead.getUTCMonth() + 2);
    expect(after.at(-1)).toBe(`leases_${ahead.toISOString().slice(0, 7).replace('-', '')}`);
    // These are the months of the last 90 days.
    expect(after.length).toBeLessThanOrEqual(8);
    expect(after).not.toContain(before[0]);
    const left = await maintenance.query('select from pg_class where relname = $1', [before[0]]);
    expect(left).toEqual([]);
  });

  it('a run that finds another transaction at work on these partitions leaves the rest to the next run', async () => {
    const clock = new TestClock(new Date(Date.now() + 2 * 366 * DAY_MS));
    const [oldest] = await partitions();
    await withClient(test.url('entitlement_maintenance'), async (other) => {
      let isHeld = false;
      const query = async <T>(sql: string, parameters?: unknown[]): Promise<T[]> => {
        if (sql.includes('detach_old_partition') && !isHeld) {
          isHeld = true;
          await other.query('begin');
          await other.query('select roll_partitions(now())');
        }
        return maintenance.query<T>(sql, parameters);
      };
      await new RollPartitionsJob({ query }, clock).runOnce();
      expect(isHeld).toBe(true);
      await other.query('rollback');
    });
    expect(await partitions()).toContain(oldest);
    await roll(clock);
    expect(await partitions()).not.toContain(oldest);
  });

  it('a transaction that reads a table delays no new partitions, and delays the removal of old partitions of that table only until it ends', async () => {
    const clock = new TestClock(new Date(Date.now() + 3 * 366 * DAY_MS));
    await withClient(test.url('entitlement'), async (reader) => {
      await reader.query('begin');
      await reader.query('select count(*) from leases');
      await maintenance.query('select roll_partitions($1)', [new Date()]);
      const [{ detached }] = await maintenance.query<{ detached: boolean }>(
        'select detach_old_partition($1) as detached',
        [clock.now()],
      );
      expect(detached).toBe(true);
      const leases = await partitions();
      await roll(clock);
      expect(await partitions()).toEqual(expect.arrayContaining(leases));
      const [{ kept }] = await maintenance.query<{ kept: number }>(
        `select count(*)::int as kept from pg_inherits where inhparent = 'inbox'::regclass`,
      );
      // The job creates the partitions around the new time, and keeps the partitions of the preceding 90 days.
      expect(kept).toBe(4);
      await reader.query('rollback');
    });
    const before = await partitions();
    await roll(clock);
    expect((await partitions()).length).toBeLessThan(before.length);
  });

  it('S114: neither the service nor the maintenance role can write to a partition directly, because no trigger would run', async () => {
    const [{ name }] = await maintenance.query<{ name: string }>(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = 'ledger_entries'::regclass limit 1`,
    );
    const write = `insert into ${name} values ($1, 0, $1, 'available', $1, 5)`;
    await expect(database.query(write, [newId()])).rejects.toThrow('permission denied');
    await expect(maintenance.query(`delete from ${name}`)).rejects.toThrow('permission denied');
  });
});
