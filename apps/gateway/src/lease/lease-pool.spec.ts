import { describe, expect, it } from '@jest/globals';
import { newId } from '#libs/platform';
import { LeasePool, LeasePools } from './lease-pool.js';
import { Lease } from './lease.js';

const accountId = newId();

describe('a pool of leases', () => {
  function poolOf(...amounts: number[]) {
    const pool = new LeasePool(accountId, 0);
    const all = amounts.map((amount, number) => {
      const lease = new Lease(newId(), accountId, number);
      Object.assign(lease, { amount, usableUntilMs: 1_000 });
      pool.add(lease);
      return lease;
    });
    return { pool, all };
  }

  it('all unacknowledged usage, including usage of holds, is subtracted from the reported balance', () => {
    const { pool, all } = poolOf(10, 10);
    expect(pool.remaining).toBeUndefined();
    pool.acknowledged(1);
    expect(pool.remaining).toBeUndefined();
    pool.noteBalance(100, 1);
    all[0].charge(3, undefined);
    all[0].settled = 1;
    all[1].charge(5, undefined);
    const hold = { charged: 7, reported: 4 };
    pool.addHold(hold);
    expect(pool.remaining).toBe(100 - 2 - 5 - 3);
    pool.removeHold(hold);
    pool.acknowledged(3);
    expect(pool.remaining).toBe(100 - 2 - 5 - 3);
  });

  it('a balance is ignored if usage was reported while the balance was being requested', () => {
    const { pool } = poolOf(10);
    pool.noteBalance(100, 1);
    pool.reportBegins(1);
    pool.noteBalance(90, 2);
    expect(pool.remaining).toBe(100);
    pool.acknowledged(10);
    pool.reportEnds(2);
    pool.noteBalance(100, 2);
    expect(pool.remaining).toBe(90);
    pool.noteBalance(80, 3);
    expect(pool.remaining).toBe(80);
  });

  it('a pool is kept as long as a hold is open', () => {
    const pools = new LeasePools();
    const pool = pools.of(accountId, 0);
    const holds = [1, 2].map((charged) => ({ charged, reported: 0 }));
    for (const hold of holds) pool.addHold(hold);
    for (const hold of holds) {
      pools.forgetIfIdle(pool);
      expect(pools.of(accountId, 0)).toBe(pool);
      pool.removeHold(hold);
    }
    pools.forgetIfIdle(pool);
    expect(pools.get(accountId)).toBeUndefined();
  });

  it('a lease is the only usable one until another has room for the same cost', () => {
    const { pool, all } = poolOf(10, 3);
    expect(pool.isOnly(all[0], 4, 0)).toBe(true);
    expect(pool.isOnly(all[0], 3, 0)).toBe(false);
  });

  it('closing one lease keeps the others, and the oldest lease is spent first', () => {
    for (const gone of [0, 1, 2]) {
      const { pool, all } = poolOf(10, 10, 10);
      pool.remove(all[gone]);
      for (const lease of all.toSpliced(gone, 1)) {
        expect(pool.leaseWithRoom(10, 0)).toBe(lease);
        expect(pool.isIdle).toBe(false);
        pool.remove(lease);
      }
      expect(pool.leaseWithRoom(1, 0)).toBeUndefined();
      expect(pool.isIdle).toBe(true);
    }
  });
});

it.each([
  [['dns.live', 'dns.live'], { 'dns.live': 3 }],
  [['dns.live', 'whois.live', 'dns.live'], { 'dns.live': 4, 'whois.live': 2 }],
  [['dns.live', undefined, 'dns.live'], { 'dns.live': 4 }],
  [[undefined, 'dns.live', 'dns.live'], { 'dns.live': 5 }],
  [[undefined], undefined],
])('a lease records the credits that each operation used: %j', (operations, expected) => {
  const lease = new Lease(newId(), accountId, 0);
  for (const [place, operation] of operations.entries()) {
    lease.charge(place + 1, operation);
    if (operation) expect(lease.chargedFor(operation)).toBe(lease.chargedBy?.[operation]);
  }
  expect(lease.chargedBy).toEqual(expected);
});
