import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { withClient } from '#libs/database';
import { newId } from '#libs/platform';
import { EntitlementUnderTest } from '../../../../test/entitlement/entitlement-under-test.js';
import { GrantsService } from '../grants/grants.service.js';

const YEAR = { periodStart: '2026-03-02T09:00:00Z', periodEnd: '2027-03-02T09:00:00Z' };
const SECOND_SLICE = '2026-04-02T09:00:00Z';
/** More accounts than fit into one transaction. */
const CUSTOMERS = 60;
/** A trigger that makes every update of grants fail with the error that a server reports while it shuts down. */
const SHUTTING_DOWN = `
  create function entitlement.shut_down() returns trigger language plpgsql as
    $$ begin raise exception 'the server shuts down' using errcode = '57P01'; end $$;
  create trigger shut_down before update on entitlement.credit_grants
    for each statement execute function entitlement.shut_down()`;

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

  it('an account that fails is set aside and listed, and all others are brought up to date', async () => {
    const customers = Array.from({ length: CUSTOMERS }, yearlyCustomer);
    const [damaged, ...sound] = await Promise.all(customers);
    await entitlement.damage(damaged, 1);
    entitlement.clock.set(SECOND_SLICE);
    await entitlement.advanceAll();
    const entries = await Promise.all(sound.map((id) => entitlement.newEntries(id)));
    expect(entries).toEqual(sound.map(() => renewed));
    expect(await entitlement.newEntries(damaged)).toEqual([]);
    const [alarm, ...others] = entitlement.logLines.splice(0).map((line) => JSON.parse(line));
    expect(others).toEqual([]);
    const reason = expect.stringContaining('buckets_add_up');
    expect(alarm).toMatchObject({ level: 'error', accountId: damaged, reason });
    // The failing account is not retried at once.
    await entitlement.advanceAll();
    expect(entitlement.logLines).toEqual([]);
    expect(await entitlement.operator.setAsideAccounts()).toEqual([
      { accountId: damaged, since: expect.any(String), failures: 1, reason },
    ]);
    await entitlement.damage(damaged, -1);
    await entitlement.database.query('update set_aside_accounts set until = clock_timestamp()');
    await entitlement.advanceAll();
    expect(await entitlement.newEntries(damaged)).toEqual(renewed);
    expect(await entitlement.operator.setAsideAccounts()).toEqual([]);
  });

  it('the auditor does not report a slice as missing that begins while its account is being changed and is not issued yet', async () => {
    const accountId = await yearlyCustomer();
    const grants = entitlement.service.app.get(GrantsService, { strict: false });
    await entitlement.database.transaction((transaction) =>
      grants.change(transaction, accountId, (book) => {
        book.changeAllowance();
        entitlement.clock.set(SECOND_SLICE);
      }),
    );
    expect(await entitlement.violations()).toEqual([]);
    await entitlement.advanceAll();
    expect(await entitlement.newEntries(accountId)).toEqual(renewed);
  });

  it('an account that fails again waits longer, and the list begins with the account set aside first', async () => {
    const failing = async () => {
      entitlement.clock.set(YEAR.periodStart);
      const accountId = await yearlyCustomer();
      await entitlement.damage(accountId, 1);
      entitlement.clock.set(SECOND_SLICE);
      await entitlement.advanceAll();
      return accountId;
    };
    const waits = async () => {
      const rows = await entitlement.database.query<{ minutes: string }>(
        `select round(extract(epoch from until - clock_timestamp()) / 60) as minutes
         from set_aside_accounts order by since`,
      );
      return rows.map(({ minutes }) => Number(minutes));
    };
    const [first, second] = [await failing(), await failing()];
    expect(await waits()).toEqual([1, 1]);
    const failAgain = async (failures: number) => {
      await entitlement.database.query(
        'update set_aside_accounts set until = clock_timestamp(), failures = $2 where account_id = $1',
        [first, failures],
      );
      await entitlement.advanceAll();
    };
    await failAgain(1);
    expect(await waits()).toEqual([2, 1]);
    await failAgain(80);
    expect(await waits()).toEqual([60, 1]);
    expect(await entitlement.operator.setAsideAccounts()).toMatchObject([
      { accountId: first, failures: 81 },
      { accountId: second, failures: 1 },
    ]);
    for (const accountId of [first, second]) await entitlement.damage(accountId, -1);
    await entitlement.database.query('update set_aside_accounts set until = clock_timestamp()');
    await entitlement.advanceAll();
    entitlement.logLines.splice(0);
  });

  it('an account that a request brings up to date is no longer listed as set aside', async () => {
    entitlement.clock.set(YEAR.periodStart);
    const accountId = await yearlyCustomer();
    await entitlement.damage(accountId, 1);
    entitlement.clock.set(SECOND_SLICE);
    await entitlement.advanceAll();
    expect(entitlement.logLines.splice(0)).toHaveLength(1);
    await entitlement.damage(accountId, -1);
    await entitlement.use(accountId, 5);
    await entitlement.advanceAll();
    expect(await entitlement.operator.setAsideAccounts()).toEqual([]);
  });

  it('an unavailable database sets no account aside', async () => {
    const accountId = await yearlyCustomer();
    entitlement.clock.set(SECOND_SLICE);
    await withClient(entitlement.test.url(), async (client) => {
      await client.query(SHUTTING_DOWN);
      await expect(entitlement.advanceAll()).rejects.toMatchObject({ status: 503 });
      await client.query('drop function entitlement.shut_down cascade');
    });
    expect(await entitlement.operator.setAsideAccounts()).toEqual([]);
    await entitlement.advanceAll();
    expect(await entitlement.newEntries(accountId)).toEqual(renewed);
  });

  it('reading a balance applies due dates, but takes no lock and writes nothing', async () => {
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

  it('the time up to which due dates are applied never decreases, even if a clock is slow', async () => {
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
