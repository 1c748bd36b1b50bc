import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newId } from '#libs/platform';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { TakeOverWorkJob } from './take-over-work.job.js';

let billing: BillingUnderTest;
beforeAll(async () => {
  billing = await BillingUnderTest.start();
});
afterAll(() => billing.stop());

const namesIn = async (queue: string) => {
  const rows = await billing.database.query<{ name: string }>(
    'select name from work where queue = $1 order by name',
    [queue],
  );
  return rows.map(({ name }) => name);
};

it('work that services of the last release left behind is taken over, but not work that they are still doing', async () => {
  await billing.database.query(
    `insert into processor_objects (processor, kind, external_id, sync_no, due_at, claimed_until)
     values ('stripe', 'dispute', 'due', 7, now() - interval '1 min', null),
       ('stripe', 'dispute', 'left', 0, now() - interval '1 h', now() - interval '1 min'),
       ('stripe', 'dispute', 'in hand', 0, now() - interval '1 min', now() + interval '1 min'),
       ('stripe', 'dispute', 'later', 0, now() + interval '1 h', null),
       ('stripe', 'dispute', 'done', 0, null, null)`,
  );
  const [left, inHand] = [newId(), newId()];
  await billing.database.query(
    `insert into work_item (id, queue, name, payload, due_at, added_at, claimed_until)
     select id, 'print-invoices', id, jsonb_build_object('accountId', id, 'invoiceId', id), now(), now(), until
     from (values ($1::uuid, '-infinity'::timestamptz), ($2, now() + interval '1 min')) w (id, until)`,
    [left, inHand],
  );
  const job = billing.get(TakeOverWorkJob);
  await Promise.all([job.runOnce(), job.runOnce()]);
  expect(await namesIn('processor-objects')).toEqual(['stripe dispute due', 'stripe dispute left']);
  expect(await namesIn('print-invoices')).toEqual([left]);
  const rest = await billing.database.query(
    `select name from work_item
     union all select external_id from processor_objects where due_at is not null order by 1`,
  );
  expect(rest).toHaveLength(3);
  const [guard] = await billing.database.query(
    `select sync_no from processor_objects where external_id = 'due'`,
  );
  expect(guard).toEqual({ sync_no: '7' });
});
