import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Metrics } from '#libs/platform';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';

let billing: BillingUnderTest;

beforeAll(async () => {
  billing = await BillingUnderTest.start();
  const accountId = billing.newAccount();
  await billing.act(await billing.order(accountId), 'pay');
  const wish = { product: 'subscription', sku: 'api-15K-month', processor: 'stripe' };
  const { body } = await billing.call('POST', 'orders', { accountId, body: wish });
  await billing.act(body, 'pay');
});
afterAll(() => billing.stop());

/** What the gauge counts, by kind. */
async function setAside(): Promise<Record<string, number>> {
  const text = await billing.get(Metrics).text();
  const lines = [...text.matchAll(/^dds_billing_set_aside\{kind="(\w+)"[^}]*\} (\d+)$/gm)];
  return Object.fromEntries(lines.map(([, kind, count]) => [kind, Number(count)]));
}

it.each([
  ['orders', `update orders set set_aside_because = 'the payment has another amount'`, 2],
  [
    'subscriptions',
    `update subscriptions set set_aside_because = 'the bill has another amount'`,
    1,
  ],
  [
    'objects',
    `update processor_objects set due_at = clock_timestamp(), attempts = 4 where kind = 'bill'`,
    1,
  ],
  [
    'refunds',
    `insert into reversals (id, account_id, payment_id, processor, cause, attempt, state, scope, amount_micros,
       created_at, updated_at)
     select '019a0000-0000-7000-8000-000000000001', account_id, id, processor, 'refund', 1, 'requested', 'whole',
       10000, now(), now() from payments limit 1`,
    1,
  ],
  [
    'unreturned',
    `update payments set is_announced = false, returned_at = now() where bill_id is null`,
    1,
  ],
])('I13: %s that billing cannot finish raise the gauge', async (kind, statement, count) => {
  const before = await setAside();
  expect(before[kind]).toBe(0);
  const maintenance = await billing.test.maintenance('billing');
  await maintenance.query(statement);
  expect((await setAside())[kind]).toBe(count);
});
