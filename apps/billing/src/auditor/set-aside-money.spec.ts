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

async function setAside(): Promise<Record<string, number>> {
  const text = await billing.get(Metrics).text();
  const lines = [...text.matchAll(/^dds_billing_set_aside\{kind="(\w+)"[^}]*\} (\d+)$/gm)];
  return Object.fromEntries(lines.map(([, kind, count]) => [kind, Number(count)]));
}

it.each([
  ['orders', `update orders set set_aside_because = 'the payment has a different amount'`, 2],
  [
    'subscriptions',
    `update subscriptions set set_aside_because = 'the bill has a different amount'`,
    1,
  ],
  [
    'objects',
    `insert into work (id, queue, name, payload, state, until, tries)
     select gen_random_uuid(), 'processor-objects', 'stripe bill ' || external_id,
       jsonb_build_object('processor', processor, 'kind', kind, 'id', external_id), 'ready', now(), 4
     from processor_objects where kind = 'bill'`,
    1,
  ],
  [
    // An operator may choose an id without a time.
    'refunds',
    `insert into reversals (id, account_id, payment_id, processor, cause, attempt, state, scope, amount_micros,
       created_at, updated_at)
     select '019a0000-0000-4000-8000-000000000001', account_id, id, processor, 'refund', 1, 'requested', 'whole',
       10000, now() - interval '2 hours', now() from payments limit 1`,
    1,
  ],
  [
    'unreturned',
    `insert into reversals (id, account_id, payment_id, processor, cause, attempt, state, scope, amount_micros,
       created_at, updated_at)
     select '019a0000-0000-7000-8000-000000000003', account_id, id, processor, 'refund', 5, 'undone', 'whole',
       10000, now(), now() from payments limit 1`,
    1,
  ],
  [
    'unclaimed',
    `with r as (insert into reconciliation_runs (id, started_at, ended_at, lines, payments, subscriptions)
       values ('019a0000-0000-7000-8000-000000000002', now(), now(), 0, 0, 0) returning id)
     insert into reconciliation_findings (id, run_id, kind, account_id, subject, detail, is_healed)
     select id, id, 'processor', null, 'stripe payment pi_1', 'only the processor has it', false from r`,
    1,
  ],
])('I13: %s that billing cannot finish raise the gauge', async (kind, statement, count) => {
  const before = await setAside();
  expect(before[kind]).toBe(0);
  const maintenance = await billing.test.maintenance('billing');
  await maintenance.query(statement);
  expect((await setAside())[kind]).toBe(count);
});
