import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { addMonths } from '#libs/platform';
import { waitFor } from '#test/environment';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { pressButton } from '../../../../test/billing/hosted-page.js';
import { BOTH, type ProcessorSide, sideOf } from '../../../../test/billing/sides/side-of.js';
import { SyncService } from '../processor-sync/sync.service.js';
import { SubscriptionsService } from './subscriptions.service.js';

/** The number of rounds. Without the lock, each test fails well before the last round. */
const PAIRS_OF_SUBSCRIPTIONS = 3;
const PAIRS_OF_BILLS = 10;

describe.each(BOTH)('simultaneous fetches of several objects at %s', (processor) => {
  let billing: BillingUnderTest;
  let side: ProcessorSide;
  let accountId: string;

  beforeAll(async () => {
    billing = await BillingUnderTest.start();
    side = sideOf(billing, processor);
  });
  afterAll(() => billing.stop());
  beforeEach(() => {
    accountId = billing.newAccount();
    side.callbacks.faults.drop = true;
  });
  afterEach(() => {
    side.callbacks.faults.drop = false;
    expect(billing.logLines.splice(0)).toEqual([]);
  });

  async function pay(): Promise<void> {
    const body = { product: 'subscription', sku: 'api-15K-month', processor };
    const { body: order } = await billing.call('POST', 'orders', { accountId, body });
    await pressButton(order.redirect_url, 'pay');
  }

  const syncAll = (kind: 'subscription' | 'bill', ids: readonly string[]) =>
    Promise.all(ids.map((id) => billing.get(SyncService).sync({ processor, kind, id })));

  it('one of two subscriptions of a line is kept, and the other is ended and refunded', async () => {
    for (let time = 0; time < PAIRS_OF_SUBSCRIPTIONS; time += 1) {
      accountId = billing.newAccount();
      await pay();
      await pay();
      expect(await syncAll('subscription', side.newest('subscription', 2))).toEqual([
        'synced',
        'synced',
      ]);
      await billing.settle();
      await billing.follow();
      const rows = await billing.database.query(
        `select s.is_current, s.is_duplicate, s.state, p.is_announced,
           (select state from reversals r where r.payment_id = p.id and r.amount_micros = p.amount_micros)
             as refund
         from subscriptions s join payment_lines l on l.subscription_id = s.id
         join payments p on p.id = l.payment_id where s.account_id = $1 order by s.is_current`,
        [accountId],
      );
      expect(rows).toEqual([
        {
          is_current: false,
          is_duplicate: true,
          state: 'cancelled',
          is_announced: false,
          refund: 'final',
        },
        {
          is_current: true,
          is_duplicate: false,
          state: 'active',
          is_announced: true,
          refund: null,
        },
      ]);
      const types = (await billing.events(accountId)).map(({ type }) => type);
      expect(types.filter((type) => type === 'billing.payment-confirmed')).toHaveLength(1);
    }
  });

  it('the later of two paid bills determines how long the subscription is paid for', async () => {
    await pay();
    await syncAll('subscription', side.newest('subscription', 1));
    await billing.settle();
    const start = billing.clock.now();
    for (let month = 2; month <= 2 * PAIRS_OF_BILLS; month += 2) {
      for (const passed of [month - 1, month]) {
        billing.clock.set(addMonths(start, passed));
        billing.simulator.clock.runDue();
      }
      expect(await syncAll('bill', side.newest('bill', 2).toReversed())).toEqual([
        'synced',
        'synced',
      ]);
      const [row] = await billing.database.query(
        'select paid_through from subscriptions where account_id = $1',
        [accountId],
      );
      expect(row).toEqual({ paid_through: addMonths(start, month + 1) });
    }
  });

  it('the news of a lost dispute locks the subscriptions before the payment, like other news', async () => {
    await pay();
    await syncAll('subscription', side.newest('subscription', 1));
    await billing.settle();
    const [{ id: paid }] = await billing.database.query<{ id: string }>(
      'select external_id as id from payments where account_id = $1',
      [accountId],
    );
    const id = side.dispute(paid);
    side.decideDispute(id, 'lost');
    let syncing: Promise<string> | undefined;
    await billing.database.transaction(async (transaction) => {
      await billing.get(SubscriptionsService).lock(transaction, accountId);
      syncing = billing.get(SyncService).sync({ processor, kind: 'dispute', id });
      await waitFor('the news to wait', async () => {
        const waiting = await transaction.query(
          'select from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))',
        );
        return waiting.length === 1;
      });
      // If the news had locked the payment, this would be a deadlock.
      const lockPayment = 'select from payments where account_id = $1 for update';
      await transaction.query(lockPayment, [accountId]);
    });
    expect(await syncing).toBe('synced');
  });
});
