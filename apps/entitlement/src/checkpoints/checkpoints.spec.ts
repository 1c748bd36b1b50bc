import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { withClient } from '#libs/database';
import { EntitlementUnderTest } from '../../../../test/entitlement/entitlement-under-test.js';
import { CheckpointJob } from './checkpoint.job.js';

describe('checkpoints', () => {
  let entitlement: EntitlementUnderTest;
  let accountId: string;

  beforeAll(async () => {
    entitlement = await EntitlementUnderTest.start();
  });
  afterAll(() => entitlement.stop());
  beforeEach(async () => {
    accountId = await entitlement.newAccount();
    await entitlement.buy(accountId, 5_000);
    await entitlement.use(accountId, 7);
  });
  afterEach(async () => {
    expect(await entitlement.violations()).toEqual([]);
  });

  const sumUp = async () => entitlement.service.app.get(CheckpointJob).runOnce();
  const sums = async () =>
    entitlement.database.query(
      `select s.available::int, s.consumed::int, s.issued::int from grant_checkpoints s
       where account_id = $1 order by issued`,
      [accountId],
    );

  /** Damages the ledger as superuser, because no role of the service can. */
  const damage = async (statement: string, values: unknown[] = []) =>
    withClient(entitlement.test.url(), async (client) => {
      await client.query('set search_path = entitlement');
      await client.query(`set session_replication_role = 'replica'`);
      await client.query(statement, values);
    });

  it('a checkpoint contains the sums of each grant, and later entries are added once', async () => {
    await sumUp();
    expect(await sums()).toEqual([
      { available: 5_000, consumed: 0, issued: -5_000 },
      { available: 493, consumed: 7, issued: -500 },
    ]);
    await entitlement.use(accountId, 500);
    await sumUp();
    await sumUp();
    expect(await sums()).toEqual([
      { available: 4_993, consumed: 7, issued: -5_000 },
      { available: 0, consumed: 500, issued: -500 },
    ]);
  });

  it('concurrent checkpoints of an account count each entry once', async () => {
    await Promise.all([sumUp(), entitlement.use(accountId, 5), sumUp(), sumUp()]);
    await sumUp();
    expect(await sums()).toMatchObject([{ available: 5_000 }, { available: 488, consumed: 12 }]);
  });

  it('the auditor needs no entries from before a checkpoint, so old months of the ledger can be dropped', async () => {
    await sumUp();
    await damage('delete from ledger_entries where account_id = $1', [accountId]);
    await damage('delete from ledger_transfers where account_id = $1', [accountId]);
    expect(await entitlement.violations()).toEqual([]);
    await entitlement.use(accountId, 3);
    expect(await entitlement.violations()).toEqual([]);
    await sumUp();
    expect(await sums()).toMatchObject([{ available: 5_000 }, { available: 490, consumed: 10 }]);
  });

  it('an account whose ledger and grants differ keeps its old checkpoint', async () => {
    await sumUp();
    await entitlement.use(accountId, 3);
    const shift = `update ledger_entries set amount = amount + $2
      where account_id = $1 and ledger_account = 'consumed' and transfer_id =
        (select max(id::text)::uuid from ledger_transfers where account_id = $1)`;
    await damage(shift, [accountId, 1]);
    await sumUp();
    expect(await sums()).toMatchObject([{}, { consumed: 7 }]);
    const found = (await entitlement.violations()) as { id: string }[];
    expect(found.map(({ id }) => id)).toEqual(['I1', 'I3']);
    await damage(shift, [accountId, -1]);
    await sumUp();
    expect(await sums()).toMatchObject([{}, { consumed: 10 }]);
  });
});
