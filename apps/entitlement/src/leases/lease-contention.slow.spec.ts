import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { withClient } from '#libs/database';
import { newId } from '#libs/platform';
import { isBlockedBy, waitFor } from '#test/environment';
import { EntitlementUnderTest } from '../../../../test/entitlement/entitlement-under-test.js';
import { LeaseReaperService } from './lease-reaper.service.js';
import { LeasesRepository } from './leases.repository.js';

describe('concurrent calls about leases', () => {
  let entitlement: EntitlementUnderTest;

  beforeAll(async () => {
    entitlement = await EntitlementUnderTest.start();
  });
  afterAll(() => entitlement.stop());
  afterEach(async () => {
    expect(await entitlement.violations()).toEqual([]);
  });

  const acquire = (accountId: string, request: { min: number; leaseId: string }) =>
    entitlement.client.acquire({ accountId, gatewayId: 'gateway-1', wanted: 0, ...request });

  async function trialAccount(): Promise<string> {
    const accountId = await entitlement.newAccount();
    await entitlement.newEntries(accountId);
    return accountId;
  }

  it('a settlement waits while its lease is being booked, and neither overwrites the other', async () => {
    const [accountId, leaseId] = [await trialAccount(), newId()];
    await acquire(accountId, { leaseId, min: 10 });
    const repository = entitlement.service.app.get(LeasesRepository);
    let settled: Promise<unknown> | undefined;
    await entitlement.database.transaction(async (transaction) => {
      await repository.list(transaction, [{ accountId, leaseId }]);
      const use = { accountId, leaseId, consumed: 3 };
      settled = entitlement.client.settle('gateway-1', [use]);
      await waitFor('the settlement to wait', () => isBlockedBy(transaction));
    });
    await settled;
    expect(await entitlement.client.balance(accountId)).toMatchObject({ pending: 3 });
    await entitlement.client.close({ accountId, leaseId, consumed: 3 });
  });

  it('a damaged account affects no other account: its lease is set aside, and is booked after the repair', async () => {
    const uses = await Promise.all(
      Array.from({ length: 30 }, async () => {
        const [accountId, leaseId] = [await trialAccount(), newId()];
        await acquire(accountId, { leaseId, min: 20 });
        return { accountId, leaseId, consumed: 7 };
      }),
    );
    const [damaged, ...sound] = uses;
    await entitlement.damage(damaged.accountId, 1);
    // Usage that only the close reports must not be lost.
    await entitlement.client.settle(
      'gateway-1',
      uses.map((use) => ({ ...use, consumed: 5 })),
    );
    await entitlement.client.closeAll(uses);
    for (const { accountId } of sound) {
      expect(await entitlement.newEntries(accountId)).toEqual([
        'reserve lease: available -20, reserved +20',
        'consume lease: reserved -7, consumed +7',
        'release lease: reserved -13, available +13',
      ]);
    }
    expect(await entitlement.newEntries(damaged.accountId)).toHaveLength(1);
    const alarms = entitlement.logLines.splice(0).map((line) => JSON.parse(line));
    expect(alarms).toMatchObject([
      {
        msg: 'a lease cannot be booked; it is set aside',
        leaseId: damaged.leaseId,
        consumed: 7,
        reason: expect.stringContaining('buckets_add_up'),
      },
    ]);
    expect(await entitlement.operator.setAsideLeases()).toMatchObject([
      { accountId: damaged.accountId, leaseId: damaged.leaseId, reported: 7, failures: 1 },
    ]);
    const reaper = entitlement.service.app.get(LeaseReaperService);
    await entitlement.database.query(
      `update leases set expires_at = clock_timestamp() - interval '61 seconds'
       where account_id = $1`,
      [damaged.accountId],
    );
    const tryAgain = async () => {
      const now = 'update leases set set_aside_until = clock_timestamp() where lease_id = $1';
      await entitlement.database.query(now, [damaged.leaseId]);
      await reaper.reap();
    };
    await tryAgain();
    const [{ minutes }] = await entitlement.database.query<{ minutes: string }>(
      `select round(extract(epoch from set_aside_until - clock_timestamp()) / 60) as minutes
       from leases where lease_id = $1`,
      [damaged.leaseId],
    );
    expect(Number(minutes)).toBe(2);
    expect(entitlement.logLines.splice(0)).toHaveLength(1);
    await entitlement.damage(damaged.accountId, -1);
    await reaper.reap();
    expect(await entitlement.newEntries(damaged.accountId)).toEqual([]);
    await tryAgain();
    expect(await entitlement.newEntries(damaged.accountId)).toEqual([
      'consume lease: reserved -7, consumed +7',
      'release lease: reserved -13, available +13',
    ]);
  });

  it('64 concurrent holders share 5,000 credits and consume exactly 5,000, without a deadlock', async () => {
    const accountId = newId();
    await entitlement.buy(accountId, 5_000);
    const deadlocks = () =>
      entitlement.database.query<{ deadlocks: string }>(
        'select deadlocks from pg_stat_database where datname = current_database()',
      );
    const before = await deadlocks();
    let consumed = 0;
    const work = async (worker: number) => {
      const gatewayId = `gateway-${worker % 3}`;
      for (let refusals = 0; refusals < 3;) {
        const leaseId = newId();
        const answer = await entitlement.client.acquire({
          accountId,
          leaseId,
          gatewayId,
          min: 1,
          wanted: 200,
        });
        if (answer.outcome !== 'granted') {
          refusals++;
          continue;
        }
        consumed += answer.amount;
        const use = { accountId, leaseId, consumed: answer.amount };
        await Promise.all([
          entitlement.client.settle(gatewayId, [
            { ...use, consumed: Math.ceil(answer.amount / 2) },
          ]),
          entitlement.client.settle(gatewayId, [use]),
          entitlement.client.close(use),
        ]);
      }
    };
    await Promise.all(Array.from({ length: 64 }, (_, worker) => work(worker)));
    expect(consumed).toBe(5_000);
    const [grant] = await entitlement.database.query(
      'select available, reserved, consumed from credit_grants where account_id = $1',
      [accountId],
    );
    expect(grant).toEqual({ available: '0', reserved: '0', consumed: '5000' });
    expect(await deadlocks()).toEqual(before);
  });

  it('a close that causes a deadlock is repeated and booked once', async () => {
    const accountId = await trialAccount();
    const leaseId = newId();
    await acquire(accountId, { leaseId, min: 10 });
    const lockOf = (table: string, id: string) =>
      `select from entitlement.${table} where ${id} = $1 for update`;
    await withClient(entitlement.test.url(), async (client) => {
      // This session never checks for deadlocks, so PostgreSQL cancels the close instead.
      await client.query(`set deadlock_timeout = '60s'`);
      await client.query('begin');
      await client.query(lockOf('leases', 'lease_id'), [leaseId]);
      const closed = entitlement.client.closeAll([{ accountId, leaseId, consumed: 5 }]);
      await waitFor('the close to wait', async () => {
        const { rowCount } = await client.query(
          'select from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))',
        );
        return rowCount;
      });
      await client.query(lockOf('credit_accounts', 'id'), [accountId]);
      await client.query('commit');
      return closed;
    });
    expect(await entitlement.newEntries(accountId)).toEqual([
      'reserve lease: available -10, reserved +10',
      'consume lease: reserved -5, consumed +5',
      'release lease: reserved -5, available +5',
    ]);
  });
});
