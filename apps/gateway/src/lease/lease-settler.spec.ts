import { describe, expect, it } from '@jest/globals';
import type { EntitlementClient, LeaseUse } from '#libs/contracts';
import { Logger, monotonicMs, newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import { LeasePools } from './lease-pool.js';
import { LeaseSettler } from './lease-settler.js';
import { Lease } from './lease.js';

describe('the lease settler', () => {
  /**
   * Creates a settler that records its calls: how many leases each call settles or closes, and how many balances it
   * requests.
   */
  function settlerOf(refusals = { settle: 0, close: 0 }) {
    const calls: [what: string, leases: number, accounts?: number][] = [];
    const asked: string[] = [];
    const closed: Lease[] = [];
    const pools = new LeasePools();
    const client: Partial<EntitlementClient> = {
      settle: async (_gatewayId: string, uses: LeaseUse[], accounts: string[] = []) => {
        calls.push(['settle', uses.length, accounts.length]);
        asked.push(...accounts);
        if (refusals.settle-- > 0) throw new Error('not now');
        return { recalled: [], balances: {} };
      },
      closeAll: async (uses: LeaseUse[]) => {
        calls.push(['close', uses.length]);
        if (refusals.close-- > 0) throw new Error('not now');
      },
    };
    const settler = new LeaseSettler({
      client: client as EntitlementClient,
      gatewayId: newId(),
      logger: new Logger('gateway', { write: () => {} }),
      intervalMs: 3_600_000,
      pools,
      onAnswer: () => {},
      onClosed: (lease) => void closed.push(lease),
    });
    const leasesOf = (count: number) =>
      Array.from({ length: count }, (_, number) => {
        const lease = new Lease(newId(), newId(), number);
        lease.amount = 10;
        settler.opened(lease);
        return lease;
      });
    return { settler, pools, calls, asked, closed, leasesOf };
  }

  it('a thousand leases are settled and closed per call, each once', async () => {
    const { settler, calls, closed, leasesOf } = settlerOf();
    const all = leasesOf(2_000);
    for (const lease of all) {
      lease.charge(2, 'whois.live');
      settler.used(lease);
      settler.used(lease);
    }
    expect(settler.unsettledCredits).toBe(4_000);
    await settler.settle();
    expect(calls.map(([what, count]) => [what, count])).toEqual([
      ['settle', 1_000],
      ['settle', 1_000],
    ]);
    expect([settler.unsettledCredits, all[1_999].settled]).toEqual([0, 2]);
    for (const lease of all) settler.close(lease);
    await waitFor('the closes', () => closed.length === 2_000);
    expect(calls.slice(2)).toEqual([
      ['close', 1_000],
      ['close', 1_000],
    ]);
    expect([settler.open.size, settler.answerAgeMs]).toEqual([0, 0]);
    await settler.settle();
    settler.close(leasesOf(1)[0]);
    await waitFor('a later close', () => closed.length === 2_001);
    expect(calls.slice(4)).toEqual([['close', 1]]);
  });

  it('each call requests the balances of fifty accounts, in turn', async () => {
    const { settler, calls, asked, leasesOf } = settlerOf();
    const all = leasesOf(60);
    const startedAt = monotonicMs();
    for (let round = 0; round < 2; round++) await settler.settle();
    expect(calls.map(([, , accounts]) => accounts)).toEqual([50, 50]);
    const turns = [...all, ...all.slice(0, 40)].map((lease) => lease.accountId);
    expect(asked).toEqual(turns);
    expect(settler.answerAgeMs).toBeLessThanOrEqual(monotonicMs() - startedAt);
  });

  it('rejected settlements are retried until the settler stops', async () => {
    const { settler, calls, closed, leasesOf } = settlerOf({ settle: 1, close: 1 });
    const [first, second] = leasesOf(2);
    first.charge(3, undefined);
    settler.used(first);
    await settler.settle();
    expect(first.settled).toBe(0);
    await settler.settle();
    expect(first.settled).toBe(3);
    settler.close(first);
    await waitFor('the close', () => closed.length === 1);
    expect(calls.map(([what]) => what)).toEqual(['settle', 'settle', 'close', 'close']);
    settler.stop();
    settler.close(second);
    await new Promise(setImmediate);
    expect([calls.length, closed.length]).toEqual([4, 1]);
  });

  it('leases of an earlier process are settled and closed, a thousand per call', async () => {
    const { settler, calls } = settlerOf({ settle: 1, close: 0 });
    const uses = Array.from({ length: 1_001 }, () => ({
      leaseId: newId(),
      accountId: newId(),
      consumed: 1,
    }));
    await settler.replay(uses);
    expect(calls.map(([what, count]) => [what, count])).toEqual([
      ['settle', 1_000],
      ['settle', 1_000],
      ['close', 1_000],
      ['settle', 1],
      ['close', 1],
    ]);
  });

  it('a balance is ignored if it was requested before a lease granted to its account was closed', async () => {
    const { settler, pools, closed, leasesOf } = settlerOf();
    const [lease, refused] = leasesOf(2);
    refused.amount = 0;
    const [pool, other] = [lease, refused].map((one) => pools.of(one.accountId, 0));
    for (const one of [pool, other]) one.noteBalance(100, pools.nextCall());
    pool.add(lease);
    lease.charge(4, undefined);
    const before = pools.nextCall();
    for (const one of [lease, refused]) settler.close(one);
    await waitFor('the closes', () => closed.length === 2);
    pool.remove(lease);
    for (const one of [pool, other]) one.noteBalance(50, before);
    expect([pool.remaining, other.remaining]).toEqual([96, 50]);
    pool.noteBalance(60, pools.nextCall());
    expect(pool.remaining).toBe(60);
  });
});
