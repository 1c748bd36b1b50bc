import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { withClient } from '#libs/database';
import { newId } from '#libs/platform';
import { EntitlementUnderTest } from '../../../../test/entitlement/entitlement-under-test.js';

const YEAR = { periodStart: '2026-03-02T09:00:00Z', periodEnd: '2027-03-02T09:00:00Z' };
const SECOND_SLICE = '2026-04-02T09:00:00Z';
/** More than go into one transaction. */
const CUSTOMERS = 60;

describe('due accounts', () => {
  let entitlement: EntitlementUnderTest;

  beforeAll(async () => {
    entitlement = await EntitlementUnderTest.start();
  });
  afterAll(() => entitlement.stop());
  beforeEach(() => entitlement.clock.set(YEAR.periodStart));
  afterEach(async () => {
    expect(await entitlement.violations()).toEqual([]);
  });

  async function yearlyCustomer(): Promise<string> {
    const accountId = newId();
    await entitlement.subscribe(accountId, { subscriptionId: newId(), ...YEAR, interval: 'year' });
    await entitlement.newEntries(accountId);
    return accountId;
  }
  const renewed = [
    'expire subscription: available -15000, expired +15000',
    'grant subscription: issued -15000, available +15000',
  ];

  /** Makes whatever is written of an account's grants fail. */
  const damage = async (accountId: string, by: number) =>
    withClient(entitlement.test.url(), async (client) => {
      const table = 'alter table entitlement.credit_grants';
      await client.query(`${table} drop constraint if exists buckets_add_up`);
      await client.query(
        'update entitlement.credit_grants set consumed = consumed + $2 where account_id = $1',
        [accountId, by],
      );
      await client.query(`${table} add constraint buckets_add_up check
        (granted = available + reserved + consumed + expired + revoked) not valid`);
    });

  it('an account that fails is set aside and shown, all others are brought up to date', async () => {
    const accountIds: string[] = [];
    while (accountIds.length < CUSTOMERS) accountIds.push(await yearlyCustomer());
    const [damaged, ...sound] = accountIds;
    await damage(damaged, 1);
    entitlement.clock.set(SECOND_SLICE);
    await entitlement.advanceAll();
    for (const accountId of sound) expect(await entitlement.newEntries(accountId)).toEqual(renewed);
    expect(await entitlement.newEntries(damaged)).toEqual([]);
    const [alarm, ...others] = entitlement.logLines.splice(0).map((line) => JSON.parse(line));
    expect(others).toEqual([]);
    const reason = expect.stringContaining('buckets_add_up');
    expect(alarm).toMatchObject({ level: 'error', accountId: damaged, reason });
    // It is not tried again at once.
    await entitlement.advanceAll();
    expect(entitlement.logLines).toEqual([]);
    expect(await entitlement.operator.setAsideAccounts()).toEqual([
      { accountId: damaged, since: expect.any(String), failures: 1, reason },
    ]);
    await damage(damaged, -1);
    await entitlement.database.query('update set_aside_accounts set until = clock_timestamp()');
    await entitlement.advanceAll();
    expect(await entitlement.newEntries(damaged)).toEqual(renewed);
    expect(await entitlement.operator.setAsideAccounts()).toEqual([]);
  });

  it('a balance shows what time has changed, and locks and writes nothing', async () => {
    const accountId = await yearlyCustomer();
    entitlement.clock.set(SECOND_SLICE);
    const balance = await withClient(entitlement.test.url(), async (client) => {
      await client.query('begin');
      await client.query('select from entitlement.credit_accounts where id = $1 for update', [
        accountId,
      ]);
      return entitlement.client.balance(accountId);
    });
    expect(balance).toMatchObject({
      spendable: 15_000,
      grants: [
        { available: 15_000, expired: 0 },
        { available: 0, expired: 15_000 },
      ],
    });
    expect(await entitlement.newEntries(accountId)).toEqual([]);
    await entitlement.advanceAll();
    expect(await entitlement.newEntries(accountId)).toEqual(renewed);
    expect((await entitlement.client.balance(accountId)).grants).toMatchObject(
      balance.grants.map(({ available, expired }) => ({ available, expired })),
    );
  });

  it('the instant up to which time is applied only grows, also when a clock stands behind', async () => {
    const accountId = await yearlyCustomer();
    const advancedTo = async () => {
      const [row] = await entitlement.database.query<{ advanced_to: Date }>(
        'select advanced_to from credit_accounts where id = $1',
        [accountId],
      );
      return row.advanced_to.toISOString();
    };
    entitlement.clock.set(SECOND_SLICE);
    await entitlement.advanceAll();
    const reached = await advancedTo();
    expect(reached).toBe(new Date(SECOND_SLICE).toISOString());
    entitlement.clock.set('2026-04-01T09:00:00Z');
    await entitlement.use(accountId, 5);
    expect(await advancedTo()).toBe(reached);
    entitlement.clock.set('2026-04-03T09:00:00Z');
    await entitlement.use(accountId, 5);
    expect(await advancedTo()).toBe('2026-04-03T09:00:00.000Z');
  });
});
