import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Transaction } from '#libs/database';
import { newId } from '#libs/platform';
import { isBlockedBy, waitFor } from '#test/environment';
import { EntitlementUnderTest } from '../../../../test/entitlement/entitlement-under-test.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { ReservationsService } from '../reservations/reservations.service.js';
import { LeasesRepository } from './leases.repository.js';

const GATEWAY = 'gateway-1';

/** Statements that lock several rows do so in id order, so that no two transactions wait for each other. */
describe('locks', () => {
  let entitlement: EntitlementUnderTest;

  beforeAll(async () => {
    entitlement = await EntitlementUnderTest.start('2026-03-02T09:00:00Z');
  });
  afterAll(() => entitlement.stop());
  afterEach(async () => {
    expect(await entitlement.violations()).toEqual([]);
  });

  /** Creates leases whose rows, like those of their accounts, are stored in the reverse order of their ids. */
  async function twoLeases(accountIds: string[]) {
    const leaseIds = [newId(), newId()].toSorted().toReversed();
    for (const [at, leaseId] of leaseIds.entries()) {
      const accountId = accountIds[at];
      const lease = { accountId, leaseId, gatewayId: GATEWAY, min: 10, wanted: 0 };
      await entitlement.client.acquire(lease);
    }
    const [last, first] = leaseIds;
    return {
      first,
      last,
      names: leaseIds.map((leaseId, at) => ({ leaseId, accountId: accountIds[at] })),
    };
  }
  const newAccounts = async () => {
    const ids = [await entitlement.newAccount(), await entitlement.newAccount()];
    return ids.toSorted();
  };

  /**
   * Checks the order of locks: while one transaction holds the lock of the first row, another one that needs both rows
   * must not have locked the last row.
   */
  async function expectInOrder(
    takeFirst: (transaction: Transaction) => Promise<unknown>,
    takeBoth: () => Promise<unknown>,
    takeLast: (transaction: Transaction) => Promise<unknown>,
  ): Promise<void> {
    const { database } = entitlement;
    let taken: Promise<unknown> | undefined;
    await database.transaction(async (transaction) => {
      await takeFirst(transaction);
      taken = takeBoth();
      taken.catch(() => {});
      await waitFor('the other transaction to wait', () => isBlockedBy(transaction));
      // If each of two transactions held one of the rows, they would deadlock.
      await takeLast(transaction);
    });
    await taken;
  }

  it.each(['new', 'known'])(
    '%s accounts are locked in id order, not in the order of the call',
    async (kind) => {
      const ledger = entitlement.service.app.get(LedgerService);
      const [first, last] = [newId(), newId()].toSorted();
      const lock = (ids: string[]) => (transaction: Transaction) => ledger.lock(transaction, ids);
      if (kind === 'known') {
        await entitlement.database.transaction(lock([last]));
        await entitlement.database.transaction(lock([first]));
      }
      const lockBoth = () => entitlement.database.transaction(lock([last, first]));
      await expectInOrder(lock([first]), lockBoth, lock([last]));
    },
  );

  const lockLease = (leaseId: string) => (transaction: Transaction) =>
    transaction.query('select from leases where lease_id = $1 for update', [leaseId]);

  it('a settlement locks leases in order', async () => {
    const { first, last, names } = await twoLeases(await newAccounts());
    const settle = () =>
      entitlement.client.settle(
        GATEWAY,
        names.map((name) => ({ ...name, consumed: 3 })),
      );
    await expectInOrder(lockLease(first), settle, lockLease(last));
  });

  it('a booking locks leases in order', async () => {
    const { first, last, names } = await twoLeases(await newAccounts());
    const leases = entitlement.service.app.get(LeasesRepository);
    const list = () => entitlement.database.transaction((one) => leases.list(one, names));
    await expectInOrder(lockLease(first), list, lockLease(last));
  });

  it('a recall locks leases in order', async () => {
    const [accountId] = await newAccounts();
    const { first, last } = await twoLeases([accountId, accountId]);
    const reservations = entitlement.service.app.get(ReservationsService);
    const recall = () =>
      entitlement.database.transaction((one) => reservations.recallLeases(one, accountId));
    await expectInOrder(lockLease(first), recall, lockLease(last));
  });

  it('a recall does not wait for leases of other accounts', async () => {
    const [accountId, other] = await newAccounts();
    const { first: leaseId } = await twoLeases([other, other]);
    const reservations = entitlement.service.app.get(ReservationsService);
    await entitlement.database.transaction(async (transaction) => {
      await lockLease(leaseId)(transaction);
      await entitlement.database.transaction((one) => reservations.recallLeases(one, accountId));
    });
  });
});
