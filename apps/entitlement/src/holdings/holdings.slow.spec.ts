import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AccountDeleted } from '#libs/contracts';
import { newId } from '#libs/platform';
import { EntitlementUnderTest } from '../../../../test/entitlement/entitlement-under-test.js';

const MONTH = { periodStart: '2026-03-02T09:00:00Z', periodEnd: '2026-04-02T09:00:00Z' };

describe('calls by billing and operators', () => {
  let entitlement: EntitlementUnderTest;
  let accountId: string;

  beforeAll(async () => {
    entitlement = await EntitlementUnderTest.start();
  });
  afterAll(() => entitlement.stop());
  beforeEach(() => {
    entitlement.clock.set('2026-03-02T09:00:00Z');
    accountId = newId();
  });
  afterEach(async () => {
    expect(await entitlement.violations()).toEqual([]);
  });

  const spendable = async () => (await entitlement.client.balance(accountId)).spendable;

  it('I21: sums by line contain the granted, used, revoked and owed credits', async () => {
    const lineId = await entitlement.buy(accountId, 5_000);
    await entitlement.use(accountId, 4_000);
    await entitlement.reverse(accountId, lineId, '0.5');
    expect(await entitlement.billing.lineSums([lineId, newId()])).toMatchObject([
      {
        lineId,
        accountId,
        kind: 'package',
        grants: 1,
        granted: '5000',
        consumed: '4000',
        revoked: '1000',
        reversed: '2500',
        owed: '1500',
      },
    ]);
  });

  it('an account’s holdings are its packages with credits left, its subscriptions and its debt', async () => {
    const [lineId, spent] = [
      await entitlement.buy(accountId, 5_000),
      await entitlement.buy(accountId, 1_000),
    ];
    const subscriptionId = newId();
    const monthlyCredits = '0';
    await entitlement.subscribe(accountId, { subscriptionId, ...MONTH, monthlyCredits });
    await entitlement.use(accountId, 6_000);
    await entitlement.reverse(accountId, spent, '1');
    await entitlement.buy(accountId, 200);
    const package2 = await entitlement.buy(accountId, 2_000);
    const owned = await entitlement.billing.owned(accountId);
    expect(owned.packages).toMatchObject([
      { lineId: package2, granted: '2000', remaining: '1200' },
    ]);
    expect(owned.packages.map((one) => one.lineId)).not.toContain(lineId);
    expect(owned.debt).toBe('0');
    expect(owned.subscriptions).toMatchObject([
      { id: subscriptionId, state: 'active', rightsUntil: '2026-04-09T09:00:00.000Z' },
    ]);
  });

  it('each grant is listed with its line and subscription, page by page', async () => {
    const subscriptionId = newId();
    const lineId = newId();
    await entitlement.subscribe(accountId, { subscriptionId, ...MONTH, lineId });
    for (let index = 0; index < 104; index++) await entitlement.buy(accountId, 1_000 + index);
    const first = await entitlement.billing.grants(accountId);
    const second = await entitlement.billing.grants(accountId, first.nextCursor);
    const all = [...first.items, ...second.items];
    expect([first.items.length, second.items.length]).toEqual([100, 5]);
    expect(second.nextCursor).toBeUndefined();
    expect(new Set(all.map(({ id }) => id)).size).toBe(105);
    expect(all.find(({ sourceType }) => sourceType === 'subscription')).toMatchObject({
      lineId,
      subscriptionId,
      sourceIndex: 0,
      granted: '15000',
      sliceEnd: '2026-04-02T09:00:00.000Z',
    });
    await expect(entitlement.billing.grants(accountId, 'bm9uZQ')).rejects.toThrow('cursor');
    const invented = Buffer.from(JSON.stringify(['1', accountId])).toString('base64url');
    await expect(entitlement.billing.grants(accountId, invented)).rejects.toThrow('cursor');
    const noDay = Buffer.from(JSON.stringify(['2026-02-30T00:00:00.000Z', newId()]));
    const asked = entitlement.billing.grants(accountId, noDay.toString('base64url'));
    await expect(asked).rejects.toThrow('cursor');
  });

  it('the timeline shows each movement with its number of credits', async () => {
    const lineId = await entitlement.buy(accountId, 1_000);
    await entitlement.use(accountId, 400);
    const reversalId = await entitlement.reverse(accountId, lineId, '1');
    await entitlement.buy(accountId, 2_000);
    await entitlement.undo(accountId, reversalId);
    const entries = await entitlement.operator.timeline(accountId, { limit: 100 });
    const movements = entries.map(({ text }) => /^[a-z_]+ \d+ /.exec(text)?.[0].trim());
    expect(movements.filter(Boolean).toSorted()).toEqual([
      'debt 400',
      'grant 1000',
      'grant 2000',
      'reinstate 600',
      'repay 400',
      'repay_return 400',
      'revoke 600',
    ]);
  });

  it('the frozen credits include those of grants that the balance does not list', async () => {
    for (let index = 0; index < 201; index++) await entitlement.buy(accountId, 1_000);
    const deletion = { deletedAt: '2026-03-02T09:00:00Z', restoreUntil: '2026-05-31T09:00:00Z' };
    await entitlement.deliver(AccountDeleted, accountId, deletion);
    const { frozen, grants } = await entitlement.client.balance(accountId);
    expect([frozen, grants.length]).toEqual([201_000, 200]);
  });

  it('an operator’s revocation takes the spendable credits once, and an undone reversal does not restore them', async () => {
    const lineId = await entitlement.buy(accountId, 5_000);
    const revocation = { revocationId: newId(), amount: 2_000, reason: 'a test' };
    const revoke = (amount: number) =>
      entitlement.operator.revokeByOperator(accountId, { ...revocation, amount });
    expect(await revoke(2_000)).toEqual({ isNew: true, revoked: 2_000 });
    expect(await revoke(3_000)).toEqual({ isNew: false, revoked: 2_000 });
    const reversalId = await entitlement.reverse(accountId, lineId, '0.6');
    expect(await spendable()).toBe(2_000);
    await entitlement.undo(accountId, reversalId);
    expect(await spendable()).toBe(3_000);
    const rest = { revocationId: newId(), amount: 9_000, reason: 'a test' };
    expect(await entitlement.operator.revokeByOperator(accountId, rest)).toEqual({
      isNew: true,
      revoked: 3_000,
    });
    expect(await spendable()).toBe(0);
  });
});
