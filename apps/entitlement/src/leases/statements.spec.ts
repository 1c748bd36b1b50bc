import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Transaction } from '#libs/database';
import { newId } from '#libs/platform';
import { EntitlementUnderTest } from '../../../../test/entitlement/entitlement-under-test.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { StatementService } from '../statement/statement.service.js';

describe('statements', () => {
  let entitlement: EntitlementUnderTest;

  beforeAll(async () => {
    entitlement = await EntitlementUnderTest.start();
  });
  afterAll(() => entitlement.stop());
  afterEach(async () => {
    expect(await entitlement.violations()).toEqual([]);
  });

  async function acquire(accountId: string, min = 20) {
    const lease = { accountId, leaseId: newId() };
    await entitlement.client.acquire({ ...lease, gatewayId: 'gateway-1', min, wanted: 0 });
    return lease;
  }

  it('closing leases of many accounts in one call takes as many statements as closing one', async () => {
    const uses = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const lease = await acquire(await entitlement.newAccount());
        return { ...lease, consumed: 7 };
      }),
    );
    const { balances } = await entitlement.client.settle('gateway-1', uses);
    expect(Object.values(balances)).toEqual(uses.map(() => 493));
    const counter = new StatementCounter();
    await entitlement.client.closeAll(uses.slice(0, 1));
    const ofOne = counter.take();
    await entitlement.client.closeAll(uses.slice(1));
    const ofMany = counter.take();
    counter.stop();
    // The statements lock the accounts, read the leases and grants, then write the ledger, the leases and the usage by
    // operation.
    expect(ofOne).toEqual({ statements: 6, roundTrips: 2 });
    expect(ofMany).toEqual(ofOne);
  });

  it('granting a lease takes two round trips between begin and commit', async () => {
    const accountId = await entitlement.newAccount();
    const counter = new StatementCounter();
    await acquire(accountId);
    const ofAcquire = counter.take();
    counter.stop();
    // The statements lock the account, read the lease, rejection, unbooked usage and grants, then write the ledger and
    // the lease.
    expect(ofAcquire).toEqual({ statements: 7, roundTrips: 2 });
  });

  it('grants whose credits are used up are not read again', async () => {
    const accountId = await entitlement.newAccount();
    const ledger = entitlement.service.app.get(LedgerService);
    const live = () =>
      entitlement.database.transaction((one) => ledger.listLiveGrants(one, [accountId]));
    const lease = await acquire(accountId, 500);
    expect(await live()).toMatchObject([{ available: 0, reserved: 500 }]);
    await entitlement.client.closeAll([{ ...lease, consumed: 500 }]);
    expect(await live()).toEqual([]);
  });

  it('S102: the dashboard’s overview is read in one round trip, and its lines by one statement', async () => {
    const accountId = await entitlement.newAccount();
    const counter = new StatementCounter();
    await entitlement.service.app.get(StatementService).overview(accountId);
    const ofOverview = counter.take();
    counter.stop();
    // The statements read the account, live grants, shown grants, unbooked usage, the version of the allowance,
    // overrides, blocks, and the lines of the ledger.
    expect(ofOverview).toEqual({ statements: 8, roundTrips: 1 });
  });
});

/**
 * Counts statements and round trips of transactions. A round trip begins with a statement that is sent while its
 * transaction waits for no answer. Further statements that are sent before that answer arrives belong to the same round
 * trip.
 */
class StatementCounter {
  private readonly counts = new Map<
    Transaction,
    { statements: number; roundTrips: number; unanswered: number }
  >();
  private readonly spy;

  constructor() {
    const { counts } = this;
    const { query } = Transaction.prototype;
    this.spy = jest.spyOn(Transaction.prototype, 'query').mockImplementation(async function <T>(
      this: Transaction,
      sql: string,
      parameters?: unknown[],
    ) {
      const count = counts.get(this) ?? { statements: 0, roundTrips: 0, unanswered: 0 };
      counts.set(this, count);
      count.statements++;
      if (count.unanswered++ === 0) count.roundTrips++;
      try {
        return await query.call<Transaction, [string, unknown[]?], Promise<T[]>>(
          this,
          sql,
          parameters,
        );
      } finally {
        count.unanswered--;
      }
    } as typeof query);
  }

  /**
   * Returns how many statements and round trips the longest transaction since the last call took. Shorter transactions
   * belong to the relay, which runs at the same time.
   */
  take(): { statements: number; roundTrips: number } {
    const [longest] = [...this.counts.values()].toSorted((a, b) => b.statements - a.statements);
    this.counts.clear();
    return { statements: longest.statements, roundTrips: longest.roundTrips };
  }

  stop(): void {
    this.spy.mockRestore();
  }
}
