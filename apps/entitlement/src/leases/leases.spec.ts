import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { AccountDeleted, type LeaseUse } from '#libs/contracts';
import { RollPartitionsJob } from '#libs/database';
import { newId } from '#libs/platform';
import { EntitlementUnderTest } from '../../../../test/entitlement/entitlement-under-test.js';
import { ReapJob } from '../reaper/reap.job.js';
import { LeaseReaperService } from './lease-reaper.service.js';
import { LeasesRepository } from './leases.repository.js';
import { leaseAmount } from './lease-amount.js';
import { ReaperRounds } from '../reaper/reaper-rounds.js';

describe('leases', () => {
  let entitlement: EntitlementUnderTest;

  beforeAll(async () => {
    entitlement = await EntitlementUnderTest.start();
  });
  afterAll(() => entitlement.stop());
  afterEach(async () => {
    expect(await entitlement.violations()).toEqual([]);
  });

  const acquire = (
    accountId: string,
    request: { min?: number; wanted?: number; leaseId?: string },
  ) =>
    entitlement.client.acquire({
      accountId,
      leaseId: newId(),
      gatewayId: 'gateway-1',
      min: 1,
      wanted: 0,
      ...request,
    });

  async function trialAccount(): Promise<string> {
    const accountId = await entitlement.newAccount();
    await entitlement.newEntries(accountId);
    return accountId;
  }

  const settle = (accountId: string, leaseId: string, consumed: number) =>
    entitlement.client.settle('gateway-1', [{ accountId, leaseId, consumed }]);

  async function endLease(accountId: string, secondsAgo: number): Promise<void> {
    await entitlement.database.query(
      `update leases set expires_at = clock_timestamp() - $2 * interval '1 second'
       where account_id = $1`,
      [accountId, secondsAgo],
    );
  }

  it('a lease moves credits from available to reserved to consumed and back', async () => {
    const [accountId, leaseId] = [await trialAccount(), newId()];
    expect(await acquire(accountId, { leaseId, min: 2, wanted: 900 })).toEqual({
      outcome: 'granted',
      amount: 25,
      ttlMs: 60_000,
      spendable: 475,
      balance: 500,
    });
    expect(await settle(accountId, leaseId, 4)).toEqual({
      recalled: [],
      balances: { [accountId]: 496 },
    });
    await entitlement.client.close({ accountId, leaseId, consumed: 7 });
    expect(await entitlement.newEntries(accountId)).toEqual([
      'reserve lease: available -25, reserved +25',
      'consume lease: reserved -7, consumed +7',
      'release lease: reserved -18, available +18',
    ]);
    expect(await entitlement.client.balance(accountId)).toMatchObject({
      spendable: 493,
      reserved: 0,
      frozen: 0,
    });
    expect(await entitlement.events(accountId)).toEqual([]);
  });

  it('prefetched credits are limited, and a request gets what it needs whenever that much is spendable', () => {
    expect(leaseAmount(1, 5_000, 1_000_000)).toBe(1_000);
    expect(leaseAmount(1, 700, 1_000_000)).toBe(700);
    expect(leaseAmount(1, 700, 5_000)).toBe(250);
    expect(leaseAmount(1, 700, 19)).toBe(1);
    expect(leaseAmount(19, 700, 19)).toBe(19);
    expect(leaseAmount(1, 0, 500)).toBe(1);
    expect(leaseAmount(20, 0, 19)).toBe(0);
  });

  it('the same id always gets the same outcome and reserves credits only once', async () => {
    const [accountId, leaseId] = [await trialAccount(), newId()];
    await acquire(accountId, { leaseId, min: 10 });
    const again = await acquire(accountId, { leaseId, min: 10 });
    expect(again).toMatchObject({ outcome: 'granted', amount: 10, spendable: 490 });
    const refused = newId();
    expect(await acquire(accountId, { leaseId: refused, min: 501 })).toMatchObject({
      outcome: 'insufficient',
    });
    await entitlement.buy(accountId, 5_000);
    expect(await acquire(accountId, { leaseId: refused, min: 1 })).toMatchObject({
      outcome: 'insufficient',
    });
    expect(await entitlement.newEntries(accountId)).toEqual([
      'reserve lease: available -10, reserved +10',
      'grant package: issued -5000, available +5000',
    ]);
  });

  it('a repeated, late or reordered total is charged once', async () => {
    const [accountId, leaseId] = [await trialAccount(), newId()];
    await acquire(accountId, { leaseId, min: 100 });
    for (const total of [30, 10, 30, 60, 30]) await settle(accountId, leaseId, total);
    await entitlement.client.settle('gateway-1', [
      { accountId, leaseId, consumed: 70 },
      { accountId, leaseId, consumed: 65 },
    ]);
    await entitlement.client.close({ accountId, leaseId, consumed: 20 });
    await entitlement.client.close({ accountId, leaseId, consumed: 70 });
    expect(await entitlement.newEntries(accountId)).toEqual([
      'reserve lease: available -100, reserved +100',
      'consume lease: reserved -70, consumed +70',
      'release lease: reserved -30, available +30',
    ]);
  });

  it('a lease that one call closes twice is booked once', async () => {
    const [accountId, leaseId] = [await trialAccount(), newId()];
    await acquire(accountId, { leaseId, min: 10 });
    const uses = [4, 3].map((consumed) => ({ accountId, leaseId, consumed }));
    const repository = entitlement.service.app.get(LeasesRepository);
    // PostgreSQL would choose which of two rows is written.
    const read = await entitlement.database.transaction((transaction) =>
      repository.list(transaction, uses),
    );
    expect(read).toHaveLength(1);
    await entitlement.client.closeAll(uses);
    expect(await entitlement.client.balance(accountId)).toMatchObject({
      spendable: 496,
      reserved: 0,
    });
  });

  it('a closed lease whose total is booked is not set aside', async () => {
    const [accountId, leaseId] = [await trialAccount(), newId()];
    await acquire(accountId, { leaseId, min: 10 });
    const use = { accountId, leaseId, consumed: 4 };
    await entitlement.client.close(use);
    await entitlement.service.app.get(LeasesRepository).setAside(use, 'the account was locked');
    expect(await entitlement.operator.setAsideLeases()).toEqual([]);
  });

  it('a lease that was closed before it was granted cannot be granted', async () => {
    const [accountId, leaseId] = [await trialAccount(), newId()];
    await entitlement.client.close({ accountId, leaseId, consumed: 0 });
    expect(await acquire(accountId, { leaseId, min: 1 })).toEqual({
      outcome: 'closed',
      spendable: 500,
      balance: 500,
    });
    expect(await entitlement.newEntries(accountId)).toEqual([]);
  });

  it('accounts can have leases with the same id, and closing one leaves the other open', async () => {
    const [one, other, leaseId] = [await trialAccount(), await trialAccount(), newId()];
    for (const accountId of [one, other]) await acquire(accountId, { leaseId, min: 10 });
    await entitlement.client.close({ accountId: one, leaseId, consumed: 4 });
    const left = async (accountId: string) => {
      const { spendable, reserved, recallable } = await entitlement.client.balance(accountId);
      return [spendable, reserved, recallable];
    };
    expect([await left(one), await left(other)]).toEqual([
      [496, 0, 0],
      [490, 10, 10],
    ]);
    const hold = { holdId: newId(), accountId: other, amount: 20, operation: 'jobs.whois' };
    await entitlement.client.hold(hold);
    expect(await left(other)).toEqual([470, 30, 10]);
    await entitlement.client.closeHold(other, hold.holdId);
    await entitlement.client.close({ accountId: other, leaseId, consumed: 1 });
    expect(await left(other)).toEqual([499, 0, 0]);
  });

  it('a total that arrives after the close first takes the credits that the close released, even if they are frozen or expired', async () => {
    const [accountId, leaseId] = [await trialAccount(), newId()];
    await acquire(accountId, { leaseId, min: 100 });
    await entitlement.client.close({ accountId, leaseId, consumed: 40 });
    const deletion = { deletedAt: '2026-03-02T09:00:00Z', restoreUntil: '2026-05-31T09:00:00Z' };
    await entitlement.deliver(AccountDeleted, accountId, deletion);
    await settle(accountId, leaseId, 90);
    await settle(accountId, leaseId, 90);
    expect(await entitlement.newEntries(accountId)).toEqual([
      'reserve lease: available -100, reserved +100',
      'consume lease: reserved -40, consumed +40',
      'release lease: reserved -60, available +60',
      'late_debit lease: available -50, consumed +50',
    ]);
  });

  it('a late total above the released credits takes other credits; the part that they cannot cover stays unbilled', async () => {
    const [accountId, first, second] = [await trialAccount(), newId(), newId()];
    await acquire(accountId, { leaseId: first, min: 300 });
    await entitlement.client.close({ accountId, leaseId: first, consumed: 0 });
    await acquire(accountId, { leaseId: second, min: 450 });
    await settle(accountId, first, 300);
    const [lease] = await entitlement.database.query(
      'select consumed, late, unbilled from leases where lease_id = $1',
      [first],
    );
    expect(lease).toEqual({ consumed: '300', late: '0', unbilled: '250' });
    expect(await entitlement.newEntries(accountId)).toEqual([
      'reserve lease: available -300, reserved +300',
      'release lease: reserved -300, available +300',
      'reserve lease: available -450, reserved +450',
      'late_debit lease: available -50, consumed +50',
    ]);
    expect(await entitlement.events(accountId)).toEqual([]);
  });

  it('no account is charged more under a lease than the lease’s amount', async () => {
    const [accountId, leaseId] = [await trialAccount(), newId()];
    await acquire(accountId, { leaseId, min: 10 });
    await settle(accountId, leaseId, 1_000);
    await entitlement.client.close({ accountId, leaseId, consumed: 1_000 });
    expect(await entitlement.client.balance(accountId)).toMatchObject({ spendable: 490 });
  });

  it('each gateway gets the balance of the account, whichever gateway holds its leases', async () => {
    const [accountId, first, second] = [await trialAccount(), newId(), newId()];
    await acquire(accountId, { leaseId: first, min: 100 });
    const told = [(await acquire(accountId, { leaseId: second, min: 50 })).balance];
    const balanceAfter = async (uses: LeaseUse[]) => {
      const { balances } = await entitlement.client.settle('gateway-2', uses, [accountId]);
      const { spendable, reserved } = await entitlement.client.balance(accountId);
      expect(balances[accountId]).toBe(spendable + reserved);
      return balances[accountId];
    };
    told.push(await balanceAfter([{ accountId, leaseId: first, consumed: 30 }]));
    await entitlement.client.close({ accountId, leaseId: first, consumed: 40 });
    told.push(await balanceAfter([]));
    await entitlement.client.hold({ accountId, holdId: 'job', amount: 200 });
    told.push(await balanceAfter([{ accountId, leaseId: second, consumed: 1 }]));
    // These credits are not reserved by any lease or hold.
    await entitlement.buy(accountId, 1_000);
    told.push(await balanceAfter([]));
    expect(told).toEqual([500, 470, 460, 459, 1_459]);
  });

  it('a request for a lease is rejected for good only if no other lease could return credits', async () => {
    const [accountId, holder] = [await trialAccount(), newId()];
    await acquire(accountId, { leaseId: holder, min: 450 });
    expect(await acquire(accountId, { min: 100 })).toEqual({
      outcome: 'elsewhere',
      spendable: 50,
      balance: 500,
    });
    expect(await settle(accountId, holder, 20)).toMatchObject({ recalled: [holder] });
    expect(await entitlement.client.settle('gateway-2', [])).toEqual({
      recalled: [],
      balances: {},
    });
    await entitlement.client.close({ accountId, leaseId: holder, consumed: 40 });
    expect(await acquire(accountId, { min: 100 })).toMatchObject({ outcome: 'granted' });
    expect(await acquire(accountId, { min: 461 })).toMatchObject({ outcome: 'insufficient' });
    expect(await entitlement.newEntries(accountId)).toEqual([
      'reserve lease: available -450, reserved +450',
      'consume lease: reserved -40, consumed +40',
      'release lease: reserved -410, available +410',
      'reserve lease: available -100, reserved +100',
    ]);
  });

  it('holds of jobs do not count as credits that could be returned', async () => {
    const accountId = await trialAccount();
    await entitlement.client.hold({ accountId, holdId: 'job-1', amount: 450 });
    expect(await acquire(accountId, { min: 100 })).toMatchObject({ outcome: 'insufficient' });
  });

  it('the reaper closes a lease 60 s after its end, and later settlements are late debits', async () => {
    const [accountId, leaseId] = [await trialAccount(), newId()];
    await acquire(accountId, { leaseId, min: 100 });
    await settle(accountId, leaseId, 10);
    const reaper = entitlement.service.app.get(ReapJob);
    const patient = async () => {
      for (let ms = 0; ms <= 126_000; ms += 9_000) await reaper.runOnce(10_000_000 + ms);
    };
    // The margin is wide, because the database's clock continues while a busy machine delays this test.
    await endLease(accountId, 30);
    await patient();
    expect(await entitlement.newEntries(accountId)).toHaveLength(1);
    await endLease(accountId, 61);
    await patient();
    await settle(accountId, leaseId, 25);
    expect(await entitlement.newEntries(accountId)).toEqual([
      'consume lease: reserved -10, consumed +10',
      'release lease: reserved -90, available +90',
      'late_debit lease: available -15, consumed +15',
    ]);
  });

  it('the reaper closes even a lease that ended months ago, as after a long outage', async () => {
    const accountId = await trialAccount();
    await acquire(accountId, { min: 10 });
    await endLease(accountId, 90 * 86_400);
    await entitlement.service.app.get(LeaseReaperService, { strict: false }).reap();
    expect(await entitlement.newEntries(accountId)).toEqual([
      'reserve lease: available -10, reserved +10',
      'release lease: reserved -10, available +10',
    ]);
  });

  it('the month of a lease is not dropped before the lease is closed', async () => {
    const accountId = await trialAccount();
    const maintenance = await entitlement.test.maintenance('entitlement');
    const sql = `select roll_partitions(clock_timestamp() - interval '7 months')::text,
      least_id(clock_timestamp() - interval '7 months')::text as id`;
    const [{ id: least }] = await maintenance.query<{ id: string }>(sql);
    const leaseId = `${least.slice(0, 14)}${newId().slice(14)}`;
    await acquire(accountId, { leaseId, min: 10 });
    await endLease(accountId, 210 * 86_400);
    const roll = entitlement.service.app.get(RollPartitionsJob, { strict: false });
    await roll.runOnce();
    await entitlement.service.app.get(LeaseReaperService, { strict: false }).reap();
    expect(await entitlement.client.balance(accountId)).toMatchObject({ reserved: 0 });
    await roll.runOnce();
    const kept = await maintenance.query('select from leases where lease_id = $1', [leaseId]);
    expect(kept).toEqual([]);
  });

  it('the reaper waits 120 s after a start, and after a gap of more than 10 s between its runs', () => {
    const rounds = new ReaperRounds();
    expect(rounds.next(5_000)).toBe('begins to wait');
    for (let ms = 15_000; ms < 125_000; ms += 10_000) expect(rounds.next(ms)).toBe('waits');
    expect(rounds.next(125_000)).toBe('may reap');
    expect(rounds.next(135_000)).toBe('may reap');
    expect(rounds.next(145_001)).toBe('begins to wait');
    expect(rounds.next(155_000)).toBe('waits');
  });

  it('a round that closes leases for 30 s is no gap, but one that was paused is', () => {
    const rounds = new ReaperRounds();
    for (let ms = 0; ms < 120_000; ms += 10_000) rounds.next(ms);
    expect(rounds.next(120_000)).toBe('may reap');
    rounds.end(152_000);
    expect(rounds.next(154_000)).toBe('may reap');
    rounds.end(200_000);
    expect(rounds.next(202_000)).toBe('begins to wait');
    rounds.interrupt();
    rounds.end(203_000);
    expect(rounds.next(204_000)).toBe('begins to wait');
  });

  it('a lease that stays open is booked once a minute', async () => {
    const [accountId, leaseId] = [await trialAccount(), newId()];
    const reaper = entitlement.service.app.get(LeaseReaperService);
    await acquire(accountId, { leaseId, min: 20 });
    await acquire(accountId, { leaseId: newId(), min: 20 });
    await settle(accountId, leaseId, 5);
    await reaper.post();
    expect(await entitlement.newEntries(accountId)).toHaveLength(2);
    await entitlement.database.query(
      `update leases set posted_at = posted_at - interval '1 minute' where account_id = $1`,
      [accountId],
    );
    const unposted = await entitlement.service.app.get(LeasesRepository).listUnposted(100);
    // The other lease was not used.
    const own = unposted.filter((use) => use.accountId === accountId);
    expect(own).toEqual([{ accountId, leaseId, consumed: 5 }]);
    await reaper.post();
    await reaper.post();
    expect(await entitlement.newEntries(accountId)).toEqual([
      'consume lease: reserved -5, consumed +5',
    ]);
    await entitlement.client.close({ accountId, leaseId, consumed: 6 });
    expect(await entitlement.newEntries(accountId)).toEqual([
      'consume lease: reserved -1, consumed +1',
      'release lease: reserved -14, available +14',
    ]);
  });

  it('a rejection is stored for 5 minutes', async () => {
    const [accountId, leaseId] = [await trialAccount(), newId()];
    const reaper = entitlement.service.app.get(LeaseReaperService);
    await acquire(accountId, { leaseId, min: 501 });
    await reaper.forgetRefusals();
    expect(await acquire(accountId, { leaseId, min: 1 })).toMatchObject({
      outcome: 'insufficient',
    });
    await entitlement.database.query(
      `update refused_leases set refused_at = refused_at - interval '5 minutes' where lease_id = $1`,
      [leaseId],
    );
    await reaper.forgetRefusals();
    const kept = 'select from refused_leases where lease_id = $1';
    expect(await entitlement.database.query(kept, [leaseId])).toEqual([]);
  });
});
