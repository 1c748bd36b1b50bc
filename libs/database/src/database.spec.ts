import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Database, withClient } from '#libs/database';
import { TestDatabase } from '#test/environment';

@Entity('job_lease')
class Lease {
  @PrimaryColumn('text')
  job: string;

  @Column('text')
  owner: string;

  @Column('timestamptz', { name: 'lease_until' })
  until: Date;
}

describe('database', () => {
  let test: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    test = await TestDatabase.create();
    database = await test.service('account', [Lease]);
  });
  afterAll(() => test.drop());

  it('S114: a service role can neither create a table nor read another schema', async () => {
    const schemas = await test.schemas();
    expect(schemas.length).toBeGreaterThan(1);
    for (const service of schemas) {
      const own = await test.service(service);
      await expect(own.query('create table intruder (a int)')).rejects.toThrow(/permission denied/);
      for (const other of schemas.filter((name) => name !== service)) {
        await expect(own.query(`select * from ${other}.migrations`)).rejects.toThrow(
          /permission denied/,
        );
      }
    }
  });

  it('`afterCommit` work runs once after a commit, and never after a rollback', async () => {
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

  it('`beforeCommit` work runs last, and its failure rolls everything back', async () => {
    const seen: string[] = [];
    await database.transaction(async (transaction) => {
      transaction.beforeCommit(async () => {
        await transaction.query('select 1');
        seen.push('last');
      });
      transaction.afterCommit(() => seen.push('committed'));
      seen.push('work');
    });
    expect(seen).toEqual(['work', 'last', 'committed']);
    const failed = database.transaction(async (transaction) => {
      transaction.afterCommit(() => seen.push('rolled back'));
      transaction.beforeCommit(async () => {
        throw new Error('no number');
      });
    });
    await expect(failed).rejects.toThrow('no number');
    expect(seen).toHaveLength(3);
  });

  it('a statement that arrives during a rollback is rejected rather than run outside the transaction', async () => {
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

  it('a finished transaction accepts no statement', async () => {
    const kept = await database.transaction(async (transaction) => transaction);
    await expect(kept.query('select 1')).rejects.toThrow('the transaction is over');
    expect(() => kept.manager).toThrow('the transaction is over');
  });

  it('an entity manager kept from a transaction accepts no statement during its rollback', async () => {
    let late: Promise<unknown[]> | undefined;
    const failed = database.transaction(async ({ manager }) => {
      const slow = manager.query('select pg_sleep(0.05)');
      late = slow.then(() =>
        Promise.all(
          [
            manager.query('select 1'),
            manager.count(Lease),
            manager.save(
              Object.assign(new Lease(), { job: 'late', owner: 'me', until: new Date() }),
            ),
          ].map((work) => work.catch((error: unknown) => (error as Error).message)),
        ),
      );
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await late).toEqual(Array.from({ length: 3 }, () => 'the transaction is over'));
  });

  it('an entity manager’s statement that was not awaited rolls the transaction back', async () => {
    const hasty = database.transaction(async ({ manager }) => {
      void manager.insert(Lease, { job: 'hasty' }).catch(() => undefined);
    });
    await expect(hasty).rejects.toThrow('that was not awaited');
    expect(await database.transaction(({ manager }) => manager.count(Lease))).toBe(0);
  });

  it('a transaction in which an entity manager’s failed statement was ignored does not count as committed', async () => {
    const broken = database.transaction(async ({ manager }) => {
      await manager.insert(Lease, { job: 'kept', owner: 'me', until: new Date() });
      await manager.insert(Lease, { job: 'kept', owner: 'me' }).catch(() => undefined);
    });
    await expect(broken).rejects.toThrow('broken by a failed statement');
    expect(await database.transaction(({ manager }) => manager.count(Lease))).toBe(0);
  });

  it('a transaction in which a failure was ignored does not count as committed', async () => {
    const seen: string[] = [];
    const broken = database.transaction(async (transaction) => {
      transaction.afterCommit(() => seen.push('committed'));
      await transaction.query('select 1/0').catch(() => undefined);
      return 'done';
    });
    await expect(broken).rejects.toThrow('broken by a failed statement');
    expect(seen).toEqual([]);
  });

  it('a statement that failed within a savepoint does not affect the transaction', async () => {
    const done = database.transaction(async (transaction) => {
      await transaction.query('savepoint inner_work');
      await transaction.query('select 1/0').catch(() => undefined);
      await transaction.query('rollback to savepoint inner_work');
      return 'done';
    });
    expect(await done).toBe('done');
  });

  it('a statement that was not awaited rolls back the whole transaction', async () => {
    const hasty = database.transaction(async (transaction) => {
      void transaction.query('select pg_sleep(0.05), 1/0').catch(() => undefined);
    });
    await expect(hasty).rejects.toThrow('that was not awaited');
  });

  it('a connection lost during a transaction fails it, and the pool continues', async () => {
    const cut = database.transaction(async (transaction) => {
      const [{ pid }] = await transaction.query<{ pid: number }>('select pg_backend_pid() as pid');
      await withClient(test.url(), (client) =>
        client.query('select pg_terminate_backend($1)', [pid]),
      );
      await transaction.query('select pg_sleep(5)');
    });
    await expect(cut).rejects.toThrow();
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('S88: two users of one pooled connection never see each other’s settings', async () => {
    const single = await Database.open({
      url: test.url('account'),
      applicationName: 'one connection',
      poolSize: 1,
    });
    const setting = `select current_setting('app.account', true) as account`;
    const visit = async (user: string, turn: number) => {
      const work = single.transaction(async (transaction) => {
        const [before] = await transaction.query<{ account: string | null }>(setting);
        await transaction.query(`select set_config('app.account', $1, true)`, [user]);
        const [within] = await transaction.query<{ account: string }>(setting);
        if (turn % 3 === 1) throw new Error('undone');
        if (turn % 3 === 2) await transaction.query('select 1/0');
        return [before.account ?? '', within.account];
      });
      const seen = await work.catch(() => ['', user]);
      const [outside] = await single.query<{ account: string | null }>(setting);
      return [...seen, outside.account ?? ''];
    };
    try {
      for (let turn = 0; turn < 100; turn++) {
        const pair = await Promise.all([visit('ann', turn), visit('bob', turn + 1)]);
        expect(pair).toEqual([
          ['', 'ann', ''],
          ['', 'bob', ''],
        ]);
      }
    } finally {
      await single.close();
    }
  });

  it('S88: no source sets a session’s setting for longer than its transaction', () => {
    const root = new URL('../../../../', import.meta.url);
    const sources = ['libs', 'apps']
      .flatMap((folder) =>
        readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' }).map(
          (path) => `${folder}/${path}`,
        ),
      )
      .filter(
        (path) => path.endsWith('.ts') && path.includes('/src/') && !path.endsWith('.spec.ts'),
      );
    expect(sources.length).toBeGreaterThan(100);
    const lasting =
      /[`'"]\s*set\s+(?!local\b|transaction\b)(session\s+)?[a-z_.]+\s*(=|\bto\b)|set_config\((?![^)]*,\s*true\))/i;
    const offenders = sources.filter((path) =>
      lasting.test(readFileSync(new URL(path, root), 'utf8')),
    );
    expect(offenders).toEqual([]);
  });
});
