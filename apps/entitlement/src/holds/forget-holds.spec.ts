import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { withClient } from '#libs/database';
import { EntitlementUnderTest } from '../../../../test/entitlement/entitlement-under-test.js';
import { ForgetHoldsJob } from './forget-holds.job.js';

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
