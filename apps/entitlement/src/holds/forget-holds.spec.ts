import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { MaintenanceDatabase, withClient } from '#libs/database';
import { DAY_MS } from '#libs/platform';
import { rowsRead } from '#test/environment';
import { EntitlementUnderTest } from '../../../../test/entitlement/entitlement-under-test.js';
import { ForgetHoldsJob } from './forget-holds.job.js';
import { HoldsRepository } from './holds.repository.js';

let entitlement: EntitlementUnderTest;
let accountId: string;

beforeAll(async () => {
  entitlement = await EntitlementUnderTest.start();
  accountId = await entitlement.newAccount();
});
afterAll(() => entitlement.stop());

/** Makes holds look as if they had been opened, and perhaps closed, some days ago. */
const age = (holdIds: readonly string[], days: number) =>
  withClient(entitlement.test.url(), async (client) => {
    await client.query(`set search_path = entitlement; set session_replication_role = 'replica'`);
    const olderId = `(left(least_id(now() - $2 * interval '1 day')::text, 24)
      || right(reservation_id::text, 12))::uuid`;
    await client.query(
      `with aged as (
         update hold_parts set reservation_id = ${olderId} where reservation_id in (
           select reservation_id from holds where hold_id = any($1)))
       update holds set reservation_id = ${olderId},
         closed_at = closed_at - $2 * interval '1 day' where hold_id = any($1)`,
      [holdIds, days],
    );
  });
const rowsOf = async (table: 'holds' | 'hold_parts') =>
  entitlement.database.query(`select from ${table}`);

it('a hold is deleted with its parts 90 days after its close, and an open one never; the ledger stays', async () => {
  const { client } = entitlement;
  for (const holdId of ['old', 'recent', 'open']) {
    await client.hold({ accountId, holdId, amount: 10 });
    await client.settleHold(accountId, holdId, 'chunk-1', 3);
    if (holdId !== 'open') await client.closeHold(accountId, holdId);
  }
  await age(['old', 'open'], 91);
  await age(['recent'], 89);
  await entitlement.service.app.get(ForgetHoldsJob).runOnce();
  const left = await entitlement.database.query('select hold_id from holds order by hold_id');
  expect(left).toEqual([{ hold_id: 'open' }, { hold_id: 'recent' }]);
  expect(await rowsOf('hold_parts')).toHaveLength(2);
  expect(await entitlement.violations()).toEqual([]);
  await client.closeHold(accountId, 'open');
  expect(await client.balance(accountId)).toMatchObject({ spendable: 491, reserved: 0 });
  expect(await entitlement.violations()).toEqual([]);
});

it('finding holds to delete reads an index, not the holds of 90 days', async () => {
  const { client } = entitlement;
  await client.hold({ accountId, holdId: 'one-of-many', amount: 1 });
  await client.closeHold(accountId, 'one-of-many');
  await withClient(entitlement.test.url(), async (owner) => {
    await owner.query('set search_path = entitlement');
    await owner.query(
      `insert into holds select (jsonb_populate_record(h, jsonb_build_object('hold_id', 'many ' || n,
         'reservation_id', left(least_id(now())::text, 24) || right(gen_random_uuid()::text, 12)))).*
       from holds h cross join generate_series(1, 10000) n where hold_id = 'one-of-many'`,
    );
    await owner.query('analyze holds');
  });
  const maintenance = entitlement.service.app.get(MaintenanceDatabase);
  const read = await maintenance.transaction(async (transaction) => {
    const holds = new HoldsRepository(transaction as unknown as MaintenanceDatabase);
    return rowsRead(transaction, ['entitlement.holds'], async () =>
      expect(await holds.deleteClosed(90 * DAY_MS, 1_000)).toBe(0),
    );
  });
  expect(read).toBeLessThan(100);
});
